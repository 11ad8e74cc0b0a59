#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares earscope-cli with the reference on held-out questions: agree.py FAMILY FOLDER [SOURCES] [--cli PATH]

FOLDER is the snapshot; SOURCES and the Python environment are those of golden.py. Both compute in float32, ten requests
at a time, padded on the left; the ids have to be identical with both profiles.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from transformers import GenerationConfig, WhisperFeatureExtractor

import tasks
from data import TOKENS, WINDOW
from evaluate import write_wav
from golden import moss_music_class
from tokenizer import AUDIO, END, FAMILIES, PAD, Text

BUDGET, TOGETHER, SEED = 6, 10, 3407
PROFILES = {
    "paper_reference": GenerationConfig(do_sample=False, max_new_tokens=BUDGET, eos_token_id=END, pad_token_id=PAD),
    "generic_sampled": GenerationConfig(do_sample=True, temperature=0.7, top_p=0.9, top_k=50, max_new_tokens=BUDGET,
                                        eos_token_id=END, pad_token_id=PAD),
}


class MusicFlamingoReference:
    def __init__(self, folder, _):
        from transformers import MusicFlamingoForConditionalGeneration

        self.model = MusicFlamingoForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
        self.model.generation_config = GenerationConfig()
        self.extractor = WhisperFeatureExtractor.from_pretrained(folder)

    def generate(self, ids, mask, sources, settings):
        windows = [samples[at:at + WINDOW] for samples in sources for at in range(0, len(samples), WINDOW)]
        features = self.extractor(windows, sampling_rate=16000, return_tensors="pt", padding="max_length",
                                  return_attention_mask=True)
        return self.model.generate(input_ids=ids, attention_mask=mask, input_features=features["input_features"],
                                   input_features_mask=features["attention_mask"], generation_config=settings)


class MossMusicReference:
    def __init__(self, folder, sources):
        self.model = moss_music_class(sources).from_pretrained(folder, dtype=torch.float32).eval()
        self.extractor = WhisperFeatureExtractor(feature_size=128)

    def generate(self, ids, mask, sources, settings):
        mels = [torch.from_numpy(self.extractor._np_extract_fbank_features(samples[None], device="cpu"))[0]
                for samples in sources]
        lengths = torch.tensor([mel.shape[1] for mel in mels])
        padded = torch.stack([torch.nn.functional.pad(mel, (0, int(lengths.max()) - mel.shape[1])) for mel in mels])
        return self.model.generate(input_ids=ids, attention_mask=mask, audio_data=padded, audio_data_seqlens=lengths,
                                   audio_input_mask=ids == AUDIO, generation_config=settings,
                                   use_model_defaults=False)


REFERENCES = {"music-flamingo": MusicFlamingoReference, "moss-music": MossMusicReference}


def reference_ids(reference, text, clips, profile):
    """The new ids of each request, up to and with its end token."""
    rows = []
    for clip in clips:
        counts = [TOKENS[text.family](samples) for samples in clip.sources]
        rows.append([*text.system, *text.ids("<|im_start|>user\n"), *text.sources(counts),
                     *text.ids(clip.questions[0].text), *text.ids("<|im_end|>\n<|im_start|>assistant\n")])
    width = max(map(len, rows))
    ids = torch.tensor([[PAD] * (width - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
    torch.manual_seed(SEED)
    made = reference.generate(ids, mask, [samples for clip in clips for samples in clip.sources], PROFILES[profile])
    return [row[:row.index(END) + 1] if END in row else row for row in made[:, width:].tolist()]


def earscope_ids(options, clips, profile):
    with tempfile.TemporaryDirectory() as folder:
        requests = []
        for i, clip in enumerate(clips):
            audios = [{"file": f"{i}-{k}.wav"} for k in range(len(clip.sources))]
            for audio, samples in zip(audios, clip.sources):
                write_wav(Path(folder) / audio["file"], samples)
            requests.append({"prompt": clip.questions[0].text, "audios": audios})
        request = Path(folder) / "request.json"
        request.write_text(json.dumps({"requests": requests, "profile": profile, "max_new_tokens": BUDGET,
                                       "dtype": "float32"}))
        done = subprocess.run([options.cli, "generate", options.folder, "--request", str(request), "--device", "cpu",
                               "--seed", str(SEED), "--threads", "1"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["generated_ids"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("folder")
    parser.add_argument("sources", nargs="?")
    parser.add_argument("--cli", default="earscope-cli")
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    torch.set_num_threads(1)
    text = Text(options.family)
    reference = REFERENCES[options.family](options.folder, options.sources)
    names = list(tasks.TESTS)
    clips = [tasks.TESTS[names[i % len(names)]](np.random.default_rng([13, i % len(names), i]), i)
             for i in range(options.count)]
    for profile in PROFILES:
        equal = 0
        for first in range(0, len(clips), TOGETHER):
            part = clips[first:first + TOGETHER]
            ours = earscope_ids(options, part, profile)
            theirs = reference_ids(reference, text, part, profile)
            equal += sum(a == b for a, b in zip(ours, theirs))
        print(f"{profile}: {equal} of {len(clips)} answers have identical ids", flush=True)


if __name__ == "__main__":
    main()
