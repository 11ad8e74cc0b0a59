#!/usr/bin/env python3
"""Joins benchmark rows of the peer and of Earscope and prints their ratios (above 1: Earscope is better).

usage: ratios.py PEER.jsonl OURS.jsonl
"""
import json
import sys


def rows(path):
    """Best value of each (dtype, stage, request); rates are kept as the largest, times and sizes as the smallest."""
    best = {}
    with open(path) as lines:
        for line in lines:
            if not line.startswith("{"):
                continue
            row = json.loads(line)
            if "best" not in row:
                continue
            key = (row["dtype"], row["stage"], row.get("request", ""))
            rate = row["unit"].startswith("token/s")
            pick = max if rate else min
            best[key] = (pick(row["best"], best[key][0]) if key in best else row["best"], rate)
    return best


def main():
    peer, ours = rows(sys.argv[1]), rows(sys.argv[2])
    print("| dtype | stage | request | peer | Earscope | ratio |\n| --- | --- | --- | --- | --- | --- |")
    for key in sorted(peer.keys() & ours.keys()):
        (theirs, rate), (mine, _) = peer[key], ours[key]
        ratio = mine / theirs if rate else theirs / mine
        print(f"| {' | '.join(key)} | {theirs:.4g} | {mine:.4g} | {ratio:.2f} |")


main()
