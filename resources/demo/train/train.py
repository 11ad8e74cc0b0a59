#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a demonstration model: train.py --family music-flamingo|moss-music --steps N --seed S --out FOLDER

One thread, a fixed number of steps, everything from the seed. FOLDER gets checkpoint.pt (every 200 steps; a run that
finds one goes on from there) and at the end weights.pt, which snapshot.py turns into a snapshot.
"""

import argparse
import os
import sys
import time
from pathlib import Path

# glibc gives big blocks back at once; keeping them saves the page faults of every step.
if os.environ.get("MALLOC_TRIM_THRESHOLD_") is None:
    os.environ.update(MALLOC_MMAP_THRESHOLD_="4294967296", MALLOC_TRIM_THRESHOLD_="4294967296", OMP_NUM_THREADS="1")
    os.execv(sys.executable, [sys.executable, *sys.argv])

import numpy as np
import torch

import data
import tasks
from optimiser import Optimiser
from tokenizer import FAMILIES, Text

SINGLES = 0.07      # share of the steps with single notes only
LONG_FROM = 0.3     # share of the steps after which every LONG_EVERY-th batch is of 10 to 60 s
LONG_EVERY = 18


def make_model(family, text):
    if family == "music-flamingo":
        from music_flamingo import MusicFlamingo
        return MusicFlamingo(text)
    from moss_music import MossMusic
    return MossMusic(text)


def long_batch(rows, seed, step, family):
    random = np.random.default_rng([seed, 1_000_000 + step])
    clips = [tasks.long_clip(random) for _ in range(3 if family == "music-flamingo" else 5)]
    return data.batch_of(rows, random, clips, 0.15)


def loss_of(model, batch, random):
    hidden = model.hidden(batch, random)
    return torch.nn.functional.cross_entropy(model.logits(hidden[batch.rows, batch.columns]), batch.targets)


@torch.no_grad()
def examine(model, rows, count, names):
    """Share of held-out questions whose every answer token is right, given those before it."""
    results = {}
    for number, name in enumerate(names):
        right = []
        for first in range(0, count, 12):
            # Training pools have seeds of two numbers; three never meet them.
            clips = [tasks.TESTS[name](np.random.default_rng([7, number, i]), i)
                     for i in range(first, min(count, first + 12))]
            batch = data.batch_of(rows, np.random.default_rng(0), clips, 0)
            hidden = model.hidden(batch)
            hits = model.logits(hidden[batch.rows, batch.columns]).argmax(-1) == batch.targets
            at = 0
            for _, length in batch.questions:
                right.append(bool(hits[at:at + length].all()))
                at += length
        results[name] = sum(right) / len(right)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", choices=FAMILIES, required=True)
    parser.add_argument("--steps", type=int, default=2600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--stop", type=int, help="leave after this step, for trials")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)

    text = Text(options.family)
    model = make_model(options.family, text)
    rows = data.Rows(text, model.shared_system)
    optimiser = Optimiser(model, options.steps)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {options.steps} steps", flush=True)
    checkpoint, start, spent = options.out / "checkpoint.pt", 0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        start, spent = state["step"], state["spent"]

    short = [name for name in tasks.TESTS if " s" not in name[-3:]]
    losses = []
    batches = data.pools(rows, options.seed, start, SINGLES * options.steps)
    for step in range(start, min(options.steps, options.stop or options.steps)):
        long = step >= LONG_FROM * options.steps and step % LONG_EVERY == 0
        batch = next(batches)
        if long:
            batch = long_batch(rows, options.seed, step, options.family)
        loss = loss_of(model, batch, np.random.default_rng([options.seed, 2_000_000 + step]))
        loss.backward()
        optimiser.step(step)
        losses.append(float(loss.detach()))
        done = step + 1
        if done % 20 == 0:
            print(f"step {done} loss {np.mean(losses):.3f} cpu {spent + time.process_time():.0f} "
                  f"clock {time.strftime('%H:%M:%S')}", flush=True)
            losses = []
        if done % 200 == 0 or done == options.steps:
            torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": done,
                        "spent": spent + time.process_time()}, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").rename(checkpoint)
        if done % 400 == 0 or done == options.stop:
            for name, share in examine(model, rows, 36, short).items():
                print(f"    {name}: {100 * share:.0f} %", flush=True)
    if start < options.steps and not options.stop:
        torch.save(model.state_dict(), options.out / "weights.pt")
        for name, share in examine(model, rows, 60, list(tasks.TESTS)).items():
            print(f"    {name}: {100 * share:.0f} %", flush=True)
        print(f"cpu {spent + time.process_time():.0f} s")


if __name__ == "__main__":
    main()
