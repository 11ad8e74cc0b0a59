#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what the reference computes, for the self-check: golden.py music-flamingo DEMO_FOLDER

Transformers' Music Flamingo in float32 on one clip and one question; selfcheck.safetensors goes into the snapshot:

- input_ids [1, L]; generated_ids [G] with the end token; logits [1, V] of the last position
- mel [1, 128, F]: the frames of the sound and the few behind it that the convolutions read
- raw.0 [U, D], projected.0 [U, D]; for MOSS-Music also deepstack_projected.0.0 to .2.0
- hidden_rows [R]: some positions of the prompt; hidden.l [1, R, D] at these, for every layer l

The metadata holds the request under "selfcheck".
"""

import json
import sys
import wave
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from tokenizer import AUDIO, Text

CLIP, PROMPT, MAX_NEW_TOKENS = "high-note.wav", "Which note is this?", 8


def read_wav(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


def hidden_rows(ids):
    """The start of the prompt, every fifth audio position, and the last eight positions."""
    audio = [i for i, id in enumerate(ids) if id == AUDIO]
    return sorted({0, 1, *audio[::5], audio[-1], *range(len(ids) - 8, len(ids))})


def save(folder, tensors, prompt=PROMPT, clip=CLIP):
    metadata = {"selfcheck": json.dumps({"prompt": prompt, "audio": f"clips/{clip}",
                                         "max_new_tokens": MAX_NEW_TOKENS})}
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    save_file(tensors, folder / "selfcheck.safetensors", metadata)
    (folder / "selfcheck.safetensors").chmod(0o644)


@torch.no_grad()
def music_flamingo(folder):
    from transformers import MusicFlamingoForConditionalGeneration, WhisperFeatureExtractor

    text = Text("music-flamingo")
    samples = read_wav(folder.parent / "clips" / CLIP)
    model = MusicFlamingoForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    features = WhisperFeatureExtractor.from_pretrained(folder)(
        [samples], sampling_rate=16000, return_tensors="pt", padding="max_length", return_attention_mask=True)
    frames = int(features["attention_mask"].sum())
    tokens = (frames + 1) // 4
    ids = [*text.system, *text.ids("<|im_start|>user\n"), *text.sources([tokens]), *text.ids(PROMPT),
           *text.ids("<|im_end|>\n<|im_start|>assistant\n")]
    inputs = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long),
              "input_features": features["input_features"], "input_features_mask": features["attention_mask"]}
    raw = []
    hook = model.model.audio_tower.register_forward_hook(lambda *call: raw.append(call[2].last_hidden_state))
    outputs = model(**inputs, output_hidden_states=True)
    hook.remove()
    generated = model.generate(**inputs, do_sample=False, max_new_tokens=MAX_NEW_TOKENS)[0, len(ids):]
    rows = hidden_rows(ids)
    print(text.tokenizer.decode(generated.tolist()))
    save(folder, {
        "input_ids": inputs["input_ids"], "mel": features["input_features"][:, :, :frames + 2],
        "raw.0": raw[0][0, :tokens], "projected.0": outputs.audio_hidden_states, "logits": outputs.logits[:, -1],
        "generated_ids": generated, "hidden_rows": torch.tensor(rows),
        **{f"hidden.{i}": layer[:, rows] for i, layer in enumerate(outputs.hidden_states)}})


if __name__ == "__main__":
    music_flamingo(Path(sys.argv[2]) / sys.argv[1])
