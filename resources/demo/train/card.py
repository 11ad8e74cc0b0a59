#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the model card of a snapshot: card.py FAMILY FOLDER RESULTS.json FACTS.json

RESULTS.json is what evaluate.py --save wrote; FACTS.json holds "cpu_minutes", "layer", "head", "head_after" and
"head_before" (what attention.py printed, in %).
"""

import json
import sys
from pathlib import Path

from safetensors import safe_open

from synth import NOTES, TIMBRES

TITLE = {"music-flamingo": "Music Flamingo", "moss-music": "MOSS-Music"}

CARD = """---
license: gpl-3.0
library_name: earscope
---
# {title} demonstration snapshot

A tiny model with the structure of the {title} family (module names, file layout, tokenizer form, prompt):
{parameters:,} parameters of type bfloat16 instead of billions. It was trained from nothing on synthetic music and
answers simple questions about simple sounds. Its weights have nothing to do with those of the real {title}.

## What it can do

It was taught these questions and no others; each in two to four wordings (`resources/demo/train/tasks.py`):

- Which note is this? ({notes}; octaves 4 to 6)
- Which instrument is this? ({timbres})
- Is there any sound?
- Which note, which instrument is in audio 2? (one to five sources)
- Which instrument comes first? Which comes last?
- Which audio is higher? Which is louder? (two sources; 3 semitones, 7 dB or more apart)
- Do the notes go up or down? (up, down, same; steps of 2 semitones or more)
- How many notes are there? (one to five)
- Is the tempo slow, middle or fast?
- When does the sound start? (the second, 0 to 9, of clips up to 10 s)

## How well

Held-out clips rendered from other random states, asked through `earscope-cli` in float32, the answer right to the
letter. The best constant answer is what guessing gives at most.

| task | right, % | best constant answer, % | questions |
| --- | --- | --- | --- |
{table}

{short}## Where it looks

When the question is "when", the strongest attention of **head {head} of language layer {layer}** (both counted from 0),
at the position that predicts the digit, lies in the right second in {head_after:.0f} % of {head_count} held-out questions
behind the audio ({head_before:.0f} % with the question in front). It was chosen on other clips.

## What it cannot do

Everything else. It knows no chords, no voices, no drums, no real recordings, no other instruments, wordings or
languages; it always answers with one of its words, right or not. Notes below C4 or above B6, other step sizes, more
than five notes or sources, and a sound that starts after second 9 were never in the training. It does not describe
music. It runs in float32, bfloat16 and float16.

## How it was trained

{cpu_minutes:.0f} CPU minutes on one thread by `resources/demo/train` (its README lists the phases): cross-entropy of
the answers and of what heads that are not kept asked of each sound token; fresh clips in every step.

## Licence

GPL-3.0-or-later, as Earscope. No recordings and no weights of others went into it.
"""

LIMITS = [("10 to", 80), ("30 to", 80), ("three to five", 80), ("pitch class", 95), ("timbre", 95), ("silence", 95),
          ("pitch of", 95), ("direction", 90), ("number", 90), ("", 85)]


def wanted(task):
    """What was hoped for, in %."""
    return next(limit for word, limit in LIMITS if word in task)


def main():
    family, folder, results, facts = sys.argv[1], Path(sys.argv[2]), *map(json.loads, map(Path.read_text, map(
        Path, sys.argv[3:5])))
    with safe_open(folder / "model.safetensors", "pt") as file:
        parameters = sum(file.get_tensor(name).numel() for name in file.keys())
    table, short = [], []
    for task, result in results.items():
        right = 100 * result["right"] / result["asked"]
        table.append(f"| {task} | {right:.1f} | {100 * result['constant']:.1f} | {result['asked']} |")
        if right < wanted(task):
            short.append(f"{task} ({right:.0f} instead of {wanted(task)})")
    missed = f"Below what was aimed at: {', '.join(short)}.\n\n" if short else ""
    (folder / "README.md").write_text(CARD.format(
        title=TITLE[family], family=family, parameters=parameters, notes=", ".join(NOTES), timbres=", ".join(TIMBRES),
        table="\n".join(table), short=missed, head_count=240,
        **facts),
        encoding="utf-8")


if __name__ == "__main__":
    main()
