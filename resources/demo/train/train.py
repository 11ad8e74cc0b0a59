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
from music_flamingo import EMBEDDING_STD, RESIDUAL_WRITERS, initialise
from optimiser import Optimiser
from tokenizer import FAMILIES, Text

STEPS = {"music-flamingo": 4400, "moss-music": 3200}
# Shares of the steps, in this order: single notes only; then questions about one of several sounds; then all.
EARS_UNTIL, PLACES_UNTIL = 0.06, 0.14
SYSTEM_FROM = 0.6   # share of the steps before Music Flamingo's long system turn is put in
EXAMINE_EVERY = 400
LONG_FROM = 0.3     # share of the steps after which every LONG_EVERY-th batch is of 10 to 60 s
LONG_EVERY = 18


def make_model(family, text):
    if family == "music-flamingo":
        from music_flamingo import MusicFlamingo
        return MusicFlamingo(text)
    from moss_music import MossMusic
    return MossMusic(text)


@torch.no_grad()
def renew_language(model, optimiser, batch):
    """A new language model behind the ears that single notes have opened. The old one has learnt to answer without
    regard to places, and one that has does not learn to look at them any more. The sound begins as large as the text
    does; what the sound has outgrown would be drowned by it."""
    for part in model.language_parts():
        initialise(part, RESIDUAL_WRITERS)
        optimiser.forget(part)
    for writer, stream in zip(model.sound_writers(), model.hidden(batch)[1]):
        mean = stream.mean(0)
        if writer.bias is not None:
            writer.bias.sub_(mean)
        for parameter in writer.parameters():
            parameter.mul_(EMBEDDING_STD / (stream - mean).std())
    model.raise_positions()


def long_batch(rows, seed, step, family):
    random = np.random.default_rng([seed, 1_000_000 + step])
    clips = [tasks.long_clip(random) for _ in range(3 if family == "music-flamingo" else 5)]
    return data.batch_of(rows, random, clips, 0.15)


def phases(steps):
    """First step of "places" and of "all", in whole pools of batches."""
    return [int(share * steps) // data.POOL * data.POOL for share in (EARS_UNTIL, PLACES_UNTIL)]


def mixture_at(step, steps):
    """What is asked at this step."""
    places, everything = phases(steps)
    return "single notes" if step < places else "places" if step < everything else "all"


def growth(streams):
    """What it costs that sound tokens grow beyond 1 (root mean square; text has 0.5). Nothing else holds them back,
    since the norms behind them take any scale: they came to drown text and places, and left the range of float16."""
    return 0.01 * sum(torch.relu(stream.square().mean().sqrt() - 1) ** 2 for stream in streams)


def marks_loss(told, marks):
    """How far the first layers are from knowing what `data.MARKS` and `STEPS` ask of each sound token. Without it the
    long way from "audio 2" to the right tokens, and to what is higher, is found late or not at all."""
    parts = [part for asked, answers in zip((data.MARKS, data.STEPS), told)
             for part in answers.split(list(asked.values()), dim=1)]
    return 0.2 * sum(torch.nn.functional.cross_entropy(part, mark) for part, mark in zip(parts, marks.T))


def losses_of(model, batch, random):
    """Of the answers; beside them; of the marks."""
    hidden, streams, told = model.hidden(batch, random)
    logits = model.logits(hidden[batch.rows, batch.columns])
    return torch.stack([torch.nn.functional.cross_entropy(logits, batch.targets), growth(streams),
                        marks_loss(told, batch.marks)])


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
            hidden, _, _ = model.hidden(batch)
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
    parser.add_argument("--steps", type=int, help=f"instead of {STEPS}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--stop", type=int, help="leave after this step")
    options = parser.parse_args()
    options.steps = options.steps or STEPS[options.family]
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)

    text = Text(options.family)
    model = make_model(options.family, text)
    rows = data.Rows(text, model.shared_system)
    optimiser = Optimiser(model, options.steps, phases(options.steps)[0])
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {options.steps} steps", flush=True)
    checkpoint, start, spent = options.out / "checkpoint.pt", 0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        start, spent = state["step"], state["spent"]

    short = [name for name in tasks.TESTS if " s" not in name[-3:]]
    losses = []
    batches = data.pools(rows, options.seed, start, lambda step: mixture_at(step, options.steps))
    for step in range(start, min(options.steps, options.stop or options.steps)):
        long = step >= LONG_FROM * options.steps and step % LONG_EVERY == 0
        model.with_system = step >= SYSTEM_FROM * options.steps
        batch = next(batches)
        if step == phases(options.steps)[0]:
            renew_language(model, optimiser, batch)
        if long:
            batch = long_batch(rows, options.seed, step, options.family)
        parts = losses_of(model, batch, np.random.default_rng([options.seed, 2_000_000 + step]))
        parts.sum().backward()
        optimiser.step(step)
        losses.append(parts.detach().numpy())
        done = step + 1
        if done % 20 == 0:
            answers, grown, marked = np.mean(losses, axis=0)
            print(f"step {done} loss {answers:.3f} growth {grown:.4f} marks {marked:.3f} "
                  f"cpu {spent + time.process_time():.0f} clock {time.strftime('%H:%M:%S')}", flush=True)
            losses = []
        if done % 200 == 0 or done in (options.steps, options.stop):
            torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": done,
                        "spent": spent + time.process_time()}, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").rename(checkpoint)
        if done % EXAMINE_EVERY == 0 or done == options.stop:
            for name, share in examine(model, rows, 36, short).items():
                print(f"    {name}: {100 * share:.0f} %", flush=True)
    if start < options.steps and not options.stop:
        torch.save(model.state_dict(), options.out / "weights.pt")
        for name, share in examine(model, rows, 60, list(tasks.TESTS)).items():
            print(f"    {name}: {100 * share:.0f} %", flush=True)
        print(f"cpu {spent + time.process_time():.0f} s")


if __name__ == "__main__":
    main()
