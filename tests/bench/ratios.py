#!/usr/bin/env python3
"""Joins benchmark rows of the peer and of Earscope and prints their ratios (above 1: Earscope is better).

usage: ratios.py PEER.jsonl OURS.jsonl

The first ratio is of the best wall times (or rates, or sizes), the second of the least CPU seconds. The peer
maps its weights and reads them later, Earscope reads every page while loading: `load_model+touch` compares
that with the peer's loading and its first pass over all parameters together.
"""
import json
import sys

LOADS = ("load_model", "load_model_first")
CPU = ("cpu_s_min", "cpu_s_per_token_min")


def rows(path):
    """Per (family, dtype, stage, request): best value, whether it is a rate, least CPU seconds or None."""
    best = {}
    with open(path) as lines:
        for line in lines:
            if not line.startswith("{"):
                continue
            row = json.loads(line)
            if "best" not in row:
                continue
            if row["stage"] in LOADS:
                touched = {**row, "stage": row["stage"] + "+touch", "best": row["best"] + row.get("touch_all_s", 0)}
                add(best, touched)
            add(best, row)
    return best


def add(best, row):
    """Merges one row: rates are kept as the largest, times and sizes as the smallest."""
    key = (row["family"], row["dtype"], row["stage"], row.get("request", ""))
    rate = row["unit"].startswith("token/s")
    value = row["best"]
    cpu = [row[name] for name in CPU if name in row]
    if key in best:
        value = (max if rate else min)(value, best[key][0])
        cpu += [best[key][2]] if best[key][2] is not None else []
    best[key] = (value, rate, min(cpu, default=None))


def main():
    peer, ours = rows(sys.argv[1]), rows(sys.argv[2])
    print("| family | dtype | stage | request | peer | Earscope | ratio | by CPU time |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for key in sorted(peer.keys() & ours.keys()):
        (theirs, rate, their_cpu), (mine, _, my_cpu) = peer[key], ours[key]
        ratio = mine / theirs if rate else theirs / mine
        by_cpu = f"{their_cpu / my_cpu:.2f}" if their_cpu and my_cpu else ""
        print(f"| {' | '.join(key)} | {theirs:.4g} | {mine:.4g} | {ratio:.2f} | {by_cpu} |")


main()
