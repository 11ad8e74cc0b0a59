#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a snapshot held-out questions through earscope-cli and prints the accuracy of every task.

evaluate.py --cli PATH SNAPSHOT [--count N] [--edit MODULE=zero] [--before] [--save FILE.json]

SNAPSHOT is what earscope-cli takes: a folder, `demo` or `demo-moss`. Every answer has to be right to the letter. The
best constant answer of a set is what chance means; the sets are balanced.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np

import tasks
from synth import RATE

SEED = 11  # [SEED, task, question]: training draws from seeds of two numbers, so they share nothing


def write_wav(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.round(samples * 32768).astype("<i2").tobytes())


def prompt_of(question, sources, before):
    """The question as it is (the program puts the sources in front), or with the sources behind it."""
    if not before:
        return question
    if sources == 1:
        return question + "\n<audio>"
    return question + "".join(f"\nAudio {i + 1}: <audio>" for i in range(sources))


def make_clips(name, count, seed=SEED):
    number = list(tasks.TESTS).index(name)
    return [tasks.TESTS[name](np.random.default_rng([seed, number, i]), i) for i in range(count)]


def ask(options, folder, clips, extra=()):
    """The answers of one call of the program."""
    requests = []
    for i, clip in enumerate(clips):
        audios = []
        for k, samples in enumerate(clip.sources):
            write_wav(folder / f"{i}-{k}.wav", samples)
            audios.append({"file": f"{i}-{k}.wav"})
        requests.append({"prompt": prompt_of(clip.questions[0].text, len(audios), options.before), "audios": audios})
    (folder / "request.json").write_text(json.dumps(
        {"requests": requests, "profile": "paper_reference", "max_new_tokens": 6, "dtype": "float32"}))
    command = [options.cli, "generate", options.snapshot, "--request", str(folder / "request.json"), *extra]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["texts"]


def evaluate(options):
    """{task: {"right", "asked", "constant", "best_constant_answers"}}"""
    results = {}
    extra = ["--threads", "1", "--device", "cpu"]
    for edit in options.edit:
        extra += ["--edit", edit]
    for name in options.tasks or tasks.TESTS:
        clips = make_clips(name, options.count)
        size = 10 if name.endswith(" s") else 60
        answers = []
        for first in range(0, len(clips), size):
            with tempfile.TemporaryDirectory() as folder:
                answers += ask(options, Path(folder), clips[first:first + size], extra)
        wanted = [clip.questions[0].answer for clip in clips]
        right = sum(given == answer for given, answer in zip(answers, wanted))
        results[name] = {"right": right, "asked": len(clips), "constant": tasks.best_constant(wanted)}
        print(f"| {name} | {100 * right / len(clips):.1f} | {100 * tasks.best_constant(wanted):.1f} |", flush=True)
        if options.show:
            for clip, given in zip(clips, answers):
                print("    ", clip.questions[0].text, repr(clip.questions[0].answer), repr(given))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("snapshot")
    parser.add_argument("--cli", default="earscope-cli")
    parser.add_argument("--count", type=int, default=240, help="questions a task")
    parser.add_argument("--edit", action="append", default=[], help="passed on to earscope-cli")
    parser.add_argument("--tasks", nargs="+", choices=list(tasks.TESTS), help="only these")
    parser.add_argument("--before", action="store_true", help="put the questions before the audio")
    parser.add_argument("--show", action="store_true", help="print every question with the answer given")
    parser.add_argument("--save", type=Path, help="write the results as JSON")
    options = parser.parse_args()
    print(f"{options.count} questions a task, right answers and best constant answer in %")
    print("| task | right | best constant |\n| --- | --- | --- |", flush=True)
    results = evaluate(options)
    if options.save:
        options.save.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
