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

LONG_FROM = 0.3     # share of the steps after which every LONG_EVERY-th batch is of 10 to 60 s
LONG_EVERY = 18


def make_model(family, text):
    if family == "music-flamingo":
        from music_flamingo import MusicFlamingo
        return MusicFlamingo(text)
    from moss_music import MossMusic
    return MossMusic(text)


# What is multiplied when a phase begins with --rescale. In the first phase the sound outgrew all else: positions, labels
# and order drowned in it, and DeepStack's paths left the range of float16.
RESCALE = {"audio_tower.embed_positions": 16, "multi_modal_projector.linear_2": 1 / 8,
           "deepstack_audio_merger_list.0.up_proj": 1 / 64, "deepstack_audio_merger_list.1.up_proj": 1 / 64}


@torch.no_grad()
def rescale(model):
    for name, parameter in model.named_parameters():
        for part, factor in RESCALE.items():
            if part in name:
                parameter.mul_(factor)


@torch.no_grad()
def renew_language(model):
    """Music Flamingo with the ears it has and a language model that is new: one that has learnt to answer without
    regard to places does not learn to look at them any more."""
    from music_flamingo import RESIDUAL_WRITERS, initialise
    net = model.net
    for part in (net.model.language_model, net.lm_head):
        initialise(part, RESIDUAL_WRITERS)
    net.model.multi_modal_projector.linear_2.weight.mul_(1 / 5)
    net.model.multi_modal_projector.linear_2.bias.mul_(1 / 5)


def long_batch(rows, seed, step, family):
    random = np.random.default_rng([seed, 1_000_000 + step])
    clips = [tasks.long_clip(random) for _ in range(3 if family == "music-flamingo" else 5)]
    return data.batch_of(rows, random, clips, 0.15)


def mixture_at(share, options):
    """What is asked when `share` of the steps are done."""
    if share < options.singles:
        return "single notes"
    return "places" if share < options.singles + options.places else options.mixture


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
    parser.add_argument("--begin", type=Path, help="checkpoint.pt of an earlier phase to begin with")
    parser.add_argument("--rescale", action="store_true", help="bring the parts of the sound to the scale of the rest")
    parser.add_argument("--new-language", action="store_true", help="begin with the encoder of --begin alone")
    parser.add_argument("--singles", type=float, default=0.07, help="share of the steps with single notes only")
    parser.add_argument("--places", type=float, default=0.1,
                        help="share of the steps, then, with questions about one of several sounds only")
    parser.add_argument("--mixture", choices=["all", "melodies"], default="all", help="of the clips of all other steps")
    parser.add_argument("--hold", type=float, default=0.385, help="share of the steps before the rate falls")
    parser.add_argument("--rate", type=float, default=1.0, help="of the learning rates")
    parser.add_argument("--system-from", type=float, default=0.6,
                        help="share of the steps before Music Flamingo's long system turn is put in")
    parser.add_argument("--stop", type=int, help="leave after this step")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)

    text = Text(options.family)
    model = make_model(options.family, text)
    rows = data.Rows(text, model.shared_system)
    optimiser = Optimiser(model, options.steps, options.hold, options.rate)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {options.steps} steps", flush=True)
    checkpoint, start, spent = options.out / "checkpoint.pt", 0, 0.0
    if checkpoint.exists() or options.begin:
        state = torch.load(checkpoint if checkpoint.exists() else options.begin)
        model.load_state_dict(state["model"])
        if checkpoint.exists() or not options.new_language:
            optimiser.load_state_dict(state["optimiser"])
        start, spent = state["step"] if checkpoint.exists() else 0, state["spent"]
        if options.rescale and not checkpoint.exists():
            rescale(model)
        if options.new_language and not checkpoint.exists():
            renew_language(model)

    short = [name for name in tasks.TESTS if " s" not in name[-3:]]
    losses = []
    batches = data.pools(rows, options.seed, start, lambda step: mixture_at(step / options.steps, options))
    for step in range(start, min(options.steps, options.stop or options.steps)):
        long = step >= LONG_FROM * options.steps and step % LONG_EVERY == 0
        model.with_system = step >= options.system_from * options.steps
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
        if done % 200 == 0 or done == options.stop:
            for name, share in examine(model, rows, 36, short).items():
                print(f"    {name}: {100 * share:.0f} %", flush=True)
    if start < options.steps and not options.stop:
        torch.save(model.state_dict(), options.out / "weights.pt")
        for name, share in examine(model, rows, 60, list(tasks.TESTS)).items():
            print(f"    {name}: {100 * share:.0f} %", flush=True)
        print(f"cpu {spent + time.process_time():.0f} s")


if __name__ == "__main__":
    main()
