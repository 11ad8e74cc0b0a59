#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the attention head that looks at the second in which a sound starts: attention.py FAMILY WEIGHTS.pt

The head is chosen on one set of "when" questions and judged on another: where its attention is largest among the
audio positions, at the position that predicts the digit, is that the right second? Wrong answers count too.
"""

import json
import sys

import numpy as np
import torch

import data
import tasks
from tokenizer import AUDIO, Text
from train import make_model

NAME = "second in which the sound starts"


@torch.no_grad()
def hits(model, rows, family, seed, count, before=False):
    """[layers, heads]: share of the questions at which the head's strongest audio position is in the right second."""
    total, number = 0, list(tasks.TESTS).index(NAME)
    for first in range(0, count, 20):
        clips = [tasks.TESTS[NAME](np.random.default_rng([seed, number, i]), i)
                 for i in range(first, min(count, first + 20))]
        batch = data.batch_of(rows, np.random.default_rng(0), clips, 1.0 if before else 0)
        layers = model.hidden(batch, attention=True)
        for b, clip in enumerate(clips):
            asking = int(batch.columns[batch.rows == b][0])
            audio = (batch.ids[b] == AUDIO).nonzero()[:, 0]
            weights = torch.stack([layer[b, :, asking, audio + rows.offset] for layer in layers])
            seconds = (weights.argmax(-1).float() * data.TOKEN_SECONDS[family]).floor()
            total = total + (seconds == int(clip.notes[0][0].start)).float()
    return total / count


def best_head(family, weights, count=240):
    """(layer, head), hit rates on other clips with the question behind and before the audio."""
    torch.set_num_threads(1)
    text = Text(family)
    model = make_model(family, text).eval()
    model.load_state_dict({name: tensor.to(torch.bfloat16).float() for name, tensor in weights.items()})
    rows = data.Rows(text, model.shared_system)
    chosen = hits(model, rows, family, 21, 120)
    layer, head = divmod(int(chosen.argmax()), chosen.shape[1])
    judged = [hits(model, rows, family, 11, count, before) for before in (False, True)]
    print(json.dumps({"all on the choosing set": [[round(float(v), 3) for v in row] for row in chosen]}))
    return layer, head, [float(rates[layer, head]) for rates in judged]


if __name__ == "__main__":
    layer, head, (after, before) = best_head(sys.argv[1], torch.load(sys.argv[2]))
    print(f"layer {layer}, head {head}: {100 * after:.1f} % behind the audio, {100 * before:.1f} % before it")
