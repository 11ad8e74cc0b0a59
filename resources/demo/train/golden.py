#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what the reference computes, for the self-check: golden.py FAMILY DEMO_FOLDER [SOURCES]

The family's reference in float32 on one clip and one question: Transformers for Music Flamingo; for MOSS-Music its
public source code (github.com/OpenMOSS/MOSS-Music, unpacked in SOURCES, with the Transformers that it pins).
selfcheck.safetensors goes into the snapshot:

- input_ids [1, L]; generated_ids [G] with the end token; logits [1, 1, V] of the last position
- mel [1, 128, F]: the frames of the sound, with Music Flamingo also the two behind it that the convolutions read
- raw.0 [U, D], projected.0 [U, D]; for MOSS-Music also deepstack_projected.0.0 to .2.0
- hidden.l [1, L, D] for every layer l, from the decoder's input to what leaves the final norm

The metadata holds the request under "selfcheck".
"""

import json
import sys
import types
import wave
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from tokenizer import AUDIO, END, PAD, Text

CLIP, PROMPT, MAX_NEW_TOKENS = "high-note.wav", "Which note is this?", 8


def read_wav(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


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
    print(text.tokenizer.decode(generated.tolist()))
    save(folder, {
        "input_ids": inputs["input_ids"], "mel": features["input_features"][:, :, :frames + 2],
        "raw.0": raw[0][0, :tokens], "projected.0": outputs.audio_hidden_states, "logits": outputs.logits[:, -1:],
        "generated_ids": generated, **{f"hidden.{i}": layer for i, layer in enumerate(outputs.hidden_states)}})


def moss_music_class(sources):
    """The public model class. Its sources import torchaudio without using it, so an empty module will do."""
    import transformers.utils  # looks for the real torchaudio, so it must come first

    sys.modules.setdefault("torchaudio", types.ModuleType("torchaudio"))
    sys.path.insert(0, sources)
    from src.modeling_moss_music import MossMusicModel
    return MossMusicModel


@torch.no_grad()
def moss_music(folder, sources):
    from transformers import GenerationConfig, WhisperFeatureExtractor

    text = Text("moss-music")
    samples = read_wav(folder.parent / "clips" / CLIP)
    model = moss_music_class(sources).from_pretrained(folder, dtype=torch.float32).eval()
    extractor = WhisperFeatureExtractor(feature_size=128)
    mel = torch.from_numpy(extractor._np_extract_fbank_features(samples[None], device="cpu"))
    lengths = torch.tensor([mel.shape[2]])
    ids = [*text.system, *text.ids("<|im_start|>user\n"), *text.sources([-(-mel.shape[2] // 8)]), *text.ids(PROMPT),
           *text.ids("<|im_end|>\n<|im_start|>assistant\n")]
    input_ids = torch.tensor([ids])
    inputs = {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids), "audio_data": mel,
              "audio_data_seqlens": lengths, "audio_input_mask": input_ids == AUDIO}

    # What goes into a layer is what came out of the one before with DeepStack's addition.
    hidden, seen = [], {}
    language = model.language_model
    hooks = [layer.register_forward_pre_hook(
        lambda _, args, kwargs: hidden.append(args[0] if args else kwargs["hidden_states"]), with_kwargs=True)
        for layer in language.layers]
    hooks.append(language.norm.register_forward_hook(lambda *call: hidden.append(call[2])))
    parts = {"projected.0": model.audio_adapter,
             **{f"deepstack_projected.{k}.0": part for k, part in enumerate(model.deepstack_audio_merger_list)}}
    for name, part in parts.items():
        hooks.append(part.register_forward_hook(
            lambda _, given, out, name=name: seen.update({name: out[0], name + ".input": given[0][0]})))
    outputs = model(**inputs)
    for hook in hooks:
        hook.remove()
    settings = GenerationConfig(do_sample=False, max_new_tokens=MAX_NEW_TOKENS, eos_token_id=END, pad_token_id=PAD)
    generated = model.generate(**inputs, generation_config=settings, use_model_defaults=False)[0, len(ids):]
    print(text.tokenizer.decode(generated.tolist()))
    save(folder, {
        "input_ids": input_ids, "mel": mel, "raw.0": seen["projected.0.input"], "logits": outputs.logits[:, -1:],
        "generated_ids": generated, **{name: seen[name] for name in parts},
        **{f"hidden.{i}": layer for i, layer in enumerate(hidden)}})


if __name__ == "__main__":
    chosen = Path(sys.argv[2]) / sys.argv[1]
    if sys.argv[1] == "music-flamingo":
        music_flamingo(chosen)
    else:
        moss_music(chosen, sys.argv[3])
