# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders simple music: notes of six timbres, mixed into clips of 16 kHz. Everything comes from a given generator."""

import numpy as np

RATE = 16000
TIMBRES = ["flute", "clarinet", "trumpet", "organ", "guitar", "bell"]
NOTES = ["C", "C sharp", "D", "E flat", "E", "F", "F sharp", "G", "A flat", "A", "B flat", "B"]
LOWEST, HIGHEST = 60, 95  # MIDI numbers of C4 and B6

# Per timbre: frequency ratios and strengths of the partials, seconds of attack, seconds in which a tone that is
# struck falls to 1/e (None: it is sustained), vibrato as a share of the frequency, breath as a share of the tone.
_PARTIALS = {
    "flute": ([1, 2, 3, 4, 5], [1, 0.35, 0.14, 0.05, 0.02], 0.05, None, 0.003, 0.03),
    "clarinet": ([1, 2, 3, 5, 7, 9, 11], [1, 0.04, 0.65, 0.45, 0.3, 0.18, 0.1], 0.03, None, 0.0, 0.0),
    "trumpet": (list(range(1, 15)), [0.5, 0.8, 1, 1, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.32, 0.25, 0.2], 0.04, None,
                0.002, 0.0),
    "organ": ([1, 2, 4, 8, 16], [1, 0.8, 0.65, 0.4, 0.15], 0.008, None, 0.0, 0.0),
    "guitar": (list(range(1, 9)), [1 / k ** 1.3 for k in range(1, 9)], 0.004, 0.3, 0.0, 0.0),
    "bell": ([1, 2, 2.76, 3.4, 5.4, 8.2], [1, 0.6, 0.7, 0.4, 0.5, 0.35], 0.002, 0.9, 0.0, 0.0),
}


def note(random, timbre, pitch, seconds, level):
    """One note of MIDI number `pitch`; `level` is the root mean square of its loudest part in dB of full scale."""
    ratios, strengths, attack, decay, vibrato, breath = _PARTIALS[timbre]
    time = np.arange(max(1, int(seconds * RATE)), dtype=np.float64) / RATE
    frequency = 440.0 * 2 ** ((pitch - 69 + random.uniform(-0.05, 0.05)) / 12)
    turns = frequency * time
    if vibrato:
        turns += frequency * vibrato / (2 * np.pi * 5.5) * np.sin(2 * np.pi * 5.5 * time + random.uniform(0, 6.28))
    sound = np.zeros_like(time)
    for ratio, strength in zip(ratios, strengths):
        if frequency * ratio > 0.48 * RATE:
            continue
        partial = strength * 10 ** (random.uniform(-1, 1) / 20) * np.sin(
            2 * np.pi * (ratio * turns + random.uniform(0, 1)))
        if decay:  # high partials die first
            partial *= np.exp(-time / (decay / (0.6 + 0.4 * ratio)))
        sound += partial
    if breath:
        sound += breath * random.standard_normal(len(time))
    sound *= np.minimum(1, time / (attack * random.uniform(0.8, 1.25)))
    sound *= np.minimum(1, (time[-1] + 1 / RATE - time) / 0.02)
    loudest = sound[int(attack * RATE):][:RATE // 5] if len(sound) > RATE // 10 else sound
    return sound * (10 ** (level / 20) / max(1e-9, np.sqrt(np.mean(loudest ** 2))))


def clip(random, seconds, events):
    """A clip of `seconds` with `events` of (start in seconds, rendered sound), as float32 that a 16-bit file can hold.

    Half of the clips get a noise floor 55 to 80 dB below full scale, so that nothing hangs on digital silence.
    """
    track = np.zeros(int(round(seconds * RATE)))
    for start, sound in events:
        first = int(start * RATE)
        piece = sound[:len(track) - first]
        track[first:first + len(piece)] += piece
    if random.random() < 0.5:
        track += 10 ** (random.uniform(-80, -55) / 20) * random.standard_normal(len(track))
    return (np.clip(np.round(track * 32768), -32768, 32767) / 32768).astype(np.float32)
