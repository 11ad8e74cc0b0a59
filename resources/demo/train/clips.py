#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders the demonstration clips: clips.py FOLDER. 16 kHz, mono, 16 bit; a second run gives the same files."""

import sys
from pathlib import Path

import numpy as np

from evaluate import write_wav
from synth import RATE, note

LEVEL = -20  # dB


def mixed(seconds, events, seed=20):
    """`events`: (start, timbre, MIDI number, length in seconds, level above LEVEL in dB)."""
    random, track = np.random.default_rng(seed), np.zeros(int(seconds * RATE))
    for start, timbre, pitch, length, louder in events:
        sound = note(random, timbre, pitch, length, LEVEL + louder)
        first = int(start * RATE)
        track[first:first + len(sound)] += sound[:len(track) - first]
    return np.clip(np.round(track * 32768), -32768, 32767) / 32768


def line(timbre, start, beat, pitches, louder=0):
    """Notes one after the other; None is a rest."""
    return [(start + i * beat, timbre, pitch, beat - 0.05, louder)
            for i, pitch in enumerate(pitches) if pitch is not None]


CLIPS = {
    # what a first question can be asked about: note A, trumpet
    "one-note": (2.0, [(0.3, "trumpet", 69, 1.2, 0)]),
    # note E flat, flute
    "high-note": (1.2, [(0.15, "flute", 87, 0.9, 0)]),
    # four notes that go up
    "melody": (2.8, line("guitar", 0.3, 0.55, [60, 64, 67, 72])),
    # first the clarinet, then the bell
    "two-instruments": (2.6, [(0.2, "clarinet", 72, 0.9, 0), (1.4, "bell", 79, 1.0, 0)]),
    # fast: 200 beats a minute
    "pulse": (3.6, [(0.15 + 0.3 * i, "organ", 67, 0.14, 0) for i in range(11)]),
    # starts in second 5
    "late-note": (7.0, [(5.4, "bell", 76, 1.2, 0)]),
    "trio": (5.6, [*line("flute", 0.2, 0.4, [76, 79, 84, 83, 79, 81, 79, 76, 77, 74, 72, None, 72]),
                   *line("guitar", 0.2, 0.8, [60, 64, 67, 65, 62, 67], -3),
                   *line("organ", 0.2, 1.6, [60, 65, 67], -9)]),
    "canon": (5.2, [*line("trumpet", 0.2, 0.36, [72, 74, 76, 72, 72, 74, 76, 72, 76, 77, 79]),
                    *line("clarinet", 1.64, 0.36, [60, 62, 64, 60, 60, 62, 64, 60, 64], -2)]),
}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (seconds, events) in CLIPS.items():
        write_wav(folder / f"{name}.wav", mixed(seconds, events))


if __name__ == "__main__":
    main()
