#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes trained weights as a snapshot in the families' real form: snapshot.py FAMILY WEIGHTS.pt FOLDER"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

from tokenizer import AUDIO, AUDIO_END, AUDIO_START, END, PAD, SYSTEM, tokenizer_files

NOTE = "Trained on simple synthetic music: it answers the questions of its model card and nothing else."


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def chat_template():
    """Turns of a conversation as Music Flamingo writes them; a sound part is one <sound>, the processor widens it."""
    turn_start = "{{ '<|im_start|>' + message.role + '\\n' }}"
    parts = ("{% if message.content is string %}{{ message.content }}{% else %}"
             "{% for part in message.content if part.type == 'audio' %}"
             "{% if loop.first %}{{ '<sound>' }}{% endif %}{% endfor %}"
             "{% for part in message.content if part.type == 'text' %}{{ part.text }}{% endfor %}{% endif %}")
    system = "{{ '<|im_start|>system\\n" + SYSTEM["music-flamingo"] + "<|im_end|>\\n' }}"
    return ("{% if messages and messages[0].role != 'system' %}" + system + "{% endif %}"
            "{% for message in messages %}" + turn_start + parts + "{{ '<|im_end|>\\n' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")


def music_flamingo_names(state):
    """The names of the family's files for Transformers' names in memory."""
    renamed = {}
    for name, tensor in state.items():
        name = name.removeprefix("net.")
        if name.startswith("model.language_model."):
            name = "language_model.model." + name.removeprefix("model.language_model.")
        elif name.startswith("lm_head."):
            name = "language_model." + name
        renamed[name.removeprefix("model.")] = tensor.to(torch.bfloat16).contiguous()
    return renamed


def processor_files(family):
    """What says how sound becomes mel, and which tokens stand for it."""
    extractor = {"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 128, "sampling_rate": 16000,
                 "n_fft": 400, "hop_length": 160, "chunk_length": 30, "dither": 0.0, "padding_value": 0.0}
    if family == "music-flamingo":
        extractor |= {"n_samples": 480000, "nb_max_frames": 3000, "padding_side": "right",
                      "return_attention_mask": True}
        return {"processor_config.json": {
            "processor_class": "MusicFlamingoProcessor", "audio_token": "<sound>",
            "audio_bos_token": "<|sound_bos|>", "audio_eos_token": "<|sound_eos|>", "max_audio_len": 1200,
            "feature_extractor": extractor}}
    return {"processor_config.json": {"processor_class": "MossMusicProcessor", "audio_token_id": AUDIO,
                                      "audio_start_id": AUDIO_START, "audio_end_id": AUDIO_END},
            "preprocessor_config.json": {**extractor, "processor_class": "MossMusicProcessor"}}


def write(family, state, folder):
    """All files but the model card and the values of the self-check."""
    state = {name: tensor for name, tensor in state.items() if name.startswith("net.")}
    folder.mkdir(parents=True, exist_ok=True)
    if family == "music-flamingo":
        from music_flamingo import config_dict
        tensors = music_flamingo_names(state)
        (folder / "chat_template.jinja").write_text(chat_template(), encoding="utf-8")
    else:
        from moss_music import config_dict
        tensors = {name.removeprefix("net."): tensor.to(torch.bfloat16) for name, tensor in state.items()}
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    write_json(folder / "config.json", {**config_dict(), "earscope_demo": {"trained": True, "note": NOTE}})
    write_json(folder / "generation_config.json", {"eos_token_id": END, "pad_token_id": PAD, "max_new_tokens": 2048})
    tokenizer, tokenizer_config = tokenizer_files(family)
    for name, value in {**processor_files(family), "tokenizer.json": tokenizer,
                        "tokenizer_config.json": tokenizer_config}.items():
        write_json(folder / name, value)


if __name__ == "__main__":
    write(sys.argv[1], torch.load(sys.argv[2]), Path(sys.argv[3]))
