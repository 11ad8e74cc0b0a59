#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the demonstration files of Earscope: a tiny Music Flamingo snapshot and three sound files.

    python3 resources/demo/make_demo.py [FOLDER]

Needs numpy only. Everything is made from fixed seeds, so a second run gives the same files. The snapshot has the
structure of the real family (names, shapes, tokenizer form), but its weights are random: it shows how the program
works and knows nothing about music. FOLDER is the folder of this script if not given.
"""

import json
import math
import struct
import sys
import wave
from collections import Counter
from pathlib import Path

import numpy as np

from demo_text import SENTENCES, SYSTEM_TEXT, pieces

SEED = 2  # of those tried, the one whose meaningless answers repeat themselves least
RATE = 44100

AUDIO_WIDTH, AUDIO_LAYERS, AUDIO_HEADS, AUDIO_MLP = 96, 2, 4, 192
TEXT_WIDTH, TEXT_LAYERS, TEXT_HEADS, TEXT_KV_HEADS, TEXT_MLP = 96, 3, 4, 2, 192
MEL_BINS, POSITIONS, VOCABULARY = 128, 1500, 512

SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<sound>", "<|sound_bos|>", "<|sound_eos|>"]
FIRST_SPECIAL = VOCABULARY - len(SPECIALS)
ID = {text: FIRST_SPECIAL + i for i, text in enumerate(SPECIALS)}


# --- tokenizer ---------------------------------------------------------------------------------------------------

def byte_letters():
    """The printable letter that stands for each byte in a byte-level vocabulary."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {byte: chr(byte) for byte in printable}
    others = (byte for byte in range(256) if byte not in letters)
    letters.update({byte: chr(0x100 + i) for i, byte in enumerate(others)})
    return letters


def train_merges(count):
    """Byte-pair merges over the sentences; of equally frequent pairs the alphabetically first one wins."""
    letters = byte_letters()
    words = Counter()
    # Every prompt begins with the system text: it counts more often, so that it takes fewer tokens.
    for text in [*SENTENCES, *[SYSTEM_TEXT] * 8]:
        for piece in pieces(text):
            words[tuple(letters[byte] for byte in piece.encode())] += 1
    merges = []
    while len(merges) < count:
        pairs = Counter()
        for word, times in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += times
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        merged = Counter()
        for word, times in words.items():
            merged[join_pair(word, best)] += times
        words = merged
    return merges


def join_pair(word, pair):
    """`word` with each occurrence of `pair`, from the left, written as one symbol."""
    joined, i = [], 0
    while i < len(word):
        if word[i:i + 2] == pair:
            joined.append(word[i] + word[i + 1])
            i += 2
        else:
            joined.append(word[i])
            i += 1
    return tuple(joined)


def tokenizer_files(merges):
    """tokenizer.json and tokenizer_config.json of a Qwen2 byte-level tokenizer."""
    symbols = sorted(byte_letters().values()) + [a + b for a, b in merges]
    split = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
             r"|\s*[\r\n]+|\s+(?!\S)|\s+")
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": ID[text], "content": text, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for text in SPECIALS],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": split}, "behavior": "Isolated", "invert": False}, byte_level]},
        "post_processor": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                  "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": {symbol: i for i, symbol in enumerate(symbols)},
                  "merges": [list(pair) for pair in merges]},
    }
    config = {"tokenizer_class": "Qwen2Tokenizer", "processor_class": "MusicFlamingoProcessor",
              "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "unk_token": None, "bos_token": None,
              "add_prefix_space": False, "clean_up_tokenization_spaces": False, "model_max_length": 8192}
    return tokenizer, config


# --- configuration -----------------------------------------------------------------------------------------------

def config_files():
    """config.json, generation_config.json and processor_config.json."""
    model = {
        "architectures": ["MusicFlamingoForConditionalGeneration"], "model_type": "musicflamingo",
        "dtype": "bfloat16",
        "audio_token_id": ID["<sound>"], "audio_bos_token_id": ID["<|sound_bos|>"],
        "audio_eos_token_id": ID["<|sound_eos|>"],
        "audio_frame_step": 0.01, "projector_hidden_act": "gelu", "projector_bias": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1200, "partial_rotary_factor": 0.2},
        "audio_config": {
            "model_type": "audioflamingo3_encoder", "hidden_size": AUDIO_WIDTH, "num_hidden_layers": AUDIO_LAYERS,
            "num_attention_heads": AUDIO_HEADS, "intermediate_size": AUDIO_MLP, "num_mel_bins": MEL_BINS,
            "max_source_positions": POSITIONS, "activation_function": "gelu", "scale_embedding": False,
            "dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0, "layerdrop": 0.0},
        "text_config": {
            "model_type": "qwen2", "hidden_size": TEXT_WIDTH, "num_hidden_layers": TEXT_LAYERS,
            "num_attention_heads": TEXT_HEADS, "num_key_value_heads": TEXT_KV_HEADS,
            "intermediate_size": TEXT_MLP, "hidden_act": "silu", "rms_norm_eps": 1e-6, "vocab_size": VOCABULARY,
            "max_position_embeddings": 32768, "rope_parameters": {"rope_type": "default", "rope_theta": 1e6},
            "use_sliding_window": False, "tie_word_embeddings": False, "attention_dropout": 0.0,
            "eos_token_id": ID["<|im_end|>"], "pad_token_id": ID["<|endoftext|>"]},
        "earscope_demo": {"trained": False, "note": "Random weights: what the model says means nothing."},
    }
    generation = {"eos_token_id": ID["<|im_end|>"], "pad_token_id": ID["<|endoftext|>"], "max_new_tokens": 2048}
    processor = {
        "processor_class": "MusicFlamingoProcessor", "audio_token": "<sound>", "audio_bos_token": "<|sound_bos|>",
        "audio_eos_token": "<|sound_eos|>", "max_audio_len": 1200,
        "feature_extractor": {
            "feature_extractor_type": "WhisperFeatureExtractor", "feature_size": MEL_BINS, "sampling_rate": 16000,
            "n_fft": 400, "hop_length": 160, "chunk_length": 30, "n_samples": 480000, "nb_max_frames": 3000,
            "dither": 0.0, "padding_side": "right", "padding_value": 0.0, "return_attention_mask": True},
    }
    return model, generation, processor


def chat_template():
    """Turns of a conversation as the family writes them; a sound part is one <sound>, the processor widens it."""
    turn_start = "{{ '<|im_start|>' + message.role + '\\n' }}"
    parts = ("{% if message.content is string %}{{ message.content }}{% else %}"
             "{% for part in message.content if part.type == 'audio' %}"
             "{% if loop.first %}{{ '<sound>' }}{% endif %}{% endfor %}"
             "{% for part in message.content if part.type == 'text' %}{{ part.text }}{% endfor %}{% endif %}")
    system = "{{ '<|im_start|>system\\n" + SYSTEM_TEXT + "<|im_end|>\\n' }}"
    return ("{% if messages and messages[0].role != 'system' %}" + system + "{% endif %}"
            "{% for message in messages %}" + turn_start + parts + "{{ '<|im_end|>\\n' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")


# --- weights -----------------------------------------------------------------------------------------------------

class Weights:
    """Collects named tensors of random numbers whose size keeps the activations near one."""

    def __init__(self):
        self.random = np.random.Generator(np.random.PCG64(SEED))
        self.tensors = {}

    def add(self, name, array):
        self.tensors[name] = array.astype(np.float32)

    def linear(self, name, outputs, inputs, bias, gain=1.0):
        """A linear layer of standard deviation gain / sqrt(inputs); small random biases."""
        self.add(f"{name}.weight", self.random.standard_normal((outputs, inputs)) * gain / math.sqrt(inputs))
        if bias:
            self.add(f"{name}.bias", self.random.standard_normal(outputs) * 0.1)

    def convolution(self, name, outputs, inputs):
        self.add(f"{name}.weight", self.random.standard_normal((outputs, inputs, 3)) * 1.4 / math.sqrt(3 * inputs))
        self.add(f"{name}.bias", self.random.standard_normal(outputs) * 0.1)

    def norm(self, name, width, bias):
        self.add(f"{name}.weight", 1 + 0.1 * self.random.standard_normal(width))
        if bias:
            self.add(f"{name}.bias", self.random.standard_normal(width) * 0.1)


def sinusoids(length, width):
    """Encoder positions: the first half of a row are sines, the second cosines, of falling frequency."""
    steps = np.exp(-math.log(10000) / (width // 2 - 1) * np.arange(width // 2))
    angle = np.arange(length)[:, None] * steps[None, :]
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def encoder_weights(weights):
    root = "audio_tower"
    weights.convolution(f"{root}.conv1", AUDIO_WIDTH, MEL_BINS)
    weights.convolution(f"{root}.conv2", AUDIO_WIDTH, AUDIO_WIDTH)
    # Small, so that what is heard counts for more than where it is heard.
    weights.add(f"{root}.embed_positions.weight", 0.1 * sinusoids(POSITIONS, AUDIO_WIDTH))
    for i in range(AUDIO_LAYERS):
        layer = f"{root}.layers.{i}"
        for name, bias in (("q_proj", True), ("k_proj", False), ("v_proj", True), ("out_proj", True)):
            weights.linear(f"{layer}.self_attn.{name}", AUDIO_WIDTH, AUDIO_WIDTH, bias,
                           0.4 if name == "out_proj" else 1.0)
        weights.norm(f"{layer}.self_attn_layer_norm", AUDIO_WIDTH, True)
        weights.linear(f"{layer}.fc1", AUDIO_MLP, AUDIO_WIDTH, True)
        weights.linear(f"{layer}.fc2", AUDIO_WIDTH, AUDIO_MLP, True, 0.4)
        weights.norm(f"{layer}.final_layer_norm", AUDIO_WIDTH, True)
    weights.norm(f"{root}.layer_norm", AUDIO_WIDTH, True)
    weights.linear("multi_modal_projector.linear_1", TEXT_WIDTH, AUDIO_WIDTH, True)
    weights.linear("multi_modal_projector.linear_2", TEXT_WIDTH, TEXT_WIDTH, True, 1.5)


def language_weights(weights, merges):
    root = "language_model.model"
    weights.add(f"{root}.embed_tokens.weight", weights.random.standard_normal((VOCABULARY, TEXT_WIDTH)) * 0.5)
    head = TEXT_WIDTH // TEXT_HEADS
    for i in range(TEXT_LAYERS):
        layer = f"{root}.layers.{i}"
        weights.norm(f"{layer}.input_layernorm", TEXT_WIDTH, False)
        for name, heads in (("q_proj", TEXT_HEADS), ("k_proj", TEXT_KV_HEADS), ("v_proj", TEXT_KV_HEADS)):
            weights.linear(f"{layer}.self_attn.{name}", heads * head, TEXT_WIDTH, True)
        weights.linear(f"{layer}.self_attn.o_proj", TEXT_WIDTH, TEXT_HEADS * head, False, 1.5)
        weights.norm(f"{layer}.post_attention_layernorm", TEXT_WIDTH, False)
        weights.linear(f"{layer}.mlp.gate_proj", TEXT_MLP, TEXT_WIDTH, False, 1.5)
        weights.linear(f"{layer}.mlp.up_proj", TEXT_MLP, TEXT_WIDTH, False, 1.5)
        weights.linear(f"{layer}.mlp.down_proj", TEXT_WIDTH, TEXT_MLP, False, 1.5)
    weights.norm(f"{root}.norm", TEXT_WIDTH, False)
    rows = weights.random.standard_normal((VOCABULARY, TEXT_WIDTH)) / math.sqrt(TEXT_WIDTH)
    weights.add("language_model.lm_head.weight", rows * speaking_gain(merges)[:, None])


def speaking_gain(merges):
    """Makes whole words likelier than single bytes, so that a random answer at least consists of letters."""
    gain = np.full(VOCABULARY, 0.05)
    for i, (left, right) in enumerate(merges):
        gain[256 + i] = 3.0 if (left + right).startswith("\u0120") and len(left + right) > 3 else 0.5
    gain[ID["<|im_end|>"]] = 1.5
    return gain


def to_bfloat16(array):
    """float32 rounded to the nearest bfloat16, ties to even, as its upper 16 bits."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def write_safetensors(path, tensors):
    """Layout: length of the header (8 bytes, little endian), header (JSON, padded to 8), the tensors back to back."""
    header, offset, blobs = {"__metadata__": {"format": "pt"}}, 0, []
    for name in sorted(tensors):
        blob = to_bfloat16(tensors[name]).tobytes()
        header[name] = {"dtype": "BF16", "shape": list(tensors[name].shape),
                        "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


# --- sound -------------------------------------------------------------------------------------------------------

def tone(pitch, seconds, partials, attack, decay):
    """One note: `pitch` in semitones from A4 (440 Hz), `partials` the strengths of its harmonics, times in seconds."""
    time = np.arange(int(seconds * RATE)) / RATE
    frequency = 440.0 * 2 ** (pitch / 12)
    sound = sum(strength * np.sin(2 * np.pi * frequency * (k + 1) * time)
                for k, strength in enumerate(partials) if frequency * (k + 1) < RATE / 2)
    envelope = np.minimum(1, time / attack) * np.exp(-time / decay) * np.minimum(1, (seconds - time) / 0.02)
    return sound / sum(partials) * envelope


def sequence(notes, seconds, partials, attack, decay):
    """Notes of (start, pitch, length) mixed into one track of `seconds`."""
    track = np.zeros(int(seconds * RATE))
    for start, pitch, length in notes:
        sound = tone(pitch, length, partials, attack, decay)
        first = int(start * RATE)
        track[first:first + len(sound)] += sound[:len(track) - first]
    return track


PLUCKED = ([1, 0.6, 0.35, 0.25, 0.12, 0.08], 0.004, 0.5)
BLOWN = ([1, 0.05, 0.5, 0.04, 0.25, 0.03, 0.12], 0.06, 6.0)


def write_wav(path, channels):
    """16-bit PCM; each channel is scaled by the same factor to a peak of 0.8."""
    frames = np.stack(channels, axis=1)
    frames = np.round(frames * (0.8 * 32767 / np.abs(frames).max())).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(frames.shape[1])
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(frames.tobytes())


def write_clips(folder):
    write_wav(folder / "one-note.wav", [sequence([(0.25, 0, 1.5)], 2.0, *PLUCKED)])
    scale = [-9, -5, -2, 3, 2, -2, -5, -9]
    melody = [(0.1 + 0.4 * i, pitch, 0.45) for i, pitch in enumerate(scale)]
    write_wav(folder / "melody.wav", [sequence(melody, 3.5, *PLUCKED)])
    high = sequence([(0.1, 7, 0.9), (1.0, 5, 0.9), (1.9, 3, 1.0)], 3.0, *BLOWN)
    low = sequence([(0.1 + 0.45 * i, -21 + 5 * (i % 2), 0.5) for i in range(6)], 3.0, *PLUCKED)
    # Two instruments, each nearer to one side: the model gets the mean of the channels.
    write_wav(folder / "two-instruments.wav", [0.8 * high + 0.4 * low, 0.3 * high + 0.9 * low])


# --- everything --------------------------------------------------------------------------------------------------

CARD = """---
license: gpl-3.0
library_name: earscope
---
# Music Flamingo demonstration snapshot

Made by `resources/demo/make_demo.py` of Earscope. It has the structure of the Music Flamingo family (module names,
file layout, tokenizer form, prompt), with {parameters:,} parameters of type bfloat16 instead of billions.

**The weights are random numbers. The model was never trained: its words mean nothing, and its embeddings say how the
program works, not how music is understood.** `config.json` says so in `earscope_demo`, where Earscope reads it.

| part | width | layers | heads | inner width |
| --- | --- | --- | --- | --- |
| encoder | {audio} | {audio_layers} | {audio_heads} | {audio_mlp} |
| language model | {text} | {text_layers} | {text_heads} ({text_kv} key/value) | {text_mlp} |

The tokenizer is a byte-level BPE of {vocabulary} entries, trained by the same script on its own sentences.
"""


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    snapshot, clips = root / "music-flamingo", root / "clips"
    snapshot.mkdir(parents=True, exist_ok=True)
    clips.mkdir(parents=True, exist_ok=True)

    merges = train_merges(FIRST_SPECIAL - 256)
    weights = Weights()
    encoder_weights(weights)
    language_weights(weights, merges)
    write_safetensors(snapshot / "model.safetensors", weights.tensors)

    names = ["config.json", "generation_config.json", "processor_config.json", "tokenizer.json",
             "tokenizer_config.json"]
    for name, value in zip(names, [*config_files(), *tokenizer_files(merges)]):
        write_json(snapshot / name, value)
    (snapshot / "chat_template.jinja").write_text(chat_template(), encoding="utf-8")
    parameters = sum(tensor.size for tensor in weights.tensors.values())
    (snapshot / "README.md").write_text(CARD.format(
        parameters=parameters, vocabulary=VOCABULARY, audio=AUDIO_WIDTH, audio_layers=AUDIO_LAYERS,
        audio_heads=AUDIO_HEADS, audio_mlp=AUDIO_MLP, text=TEXT_WIDTH, text_layers=TEXT_LAYERS,
        text_heads=TEXT_HEADS, text_kv=TEXT_KV_HEADS, text_mlp=TEXT_MLP), encoding="utf-8")
    write_clips(clips)
    files = [path for folder in (snapshot, clips) for path in folder.iterdir()]
    print(f"{root}: {parameters:,} parameters, {len(files)} files, {sum(f.stat().st_size for f in files):,} bytes")


if __name__ == "__main__":
    main()
