# SPDX-License-Identifier: GPL-3.0-or-later
"""The byte-level BPE of the demonstration models: 512 entries, one set of merges for both families.

The byte alphabet comes first, so the digits have the ids 15 to 24 that MOSS-Music's time markers are made of.
"""

import itertools
import json
import re
from collections import Counter

from synth import NOTES, TIMBRES
from tasks import DIRECTIONS, NUMBERS, REGISTERS, TEMPOS, WORDINGS

VOCABULARY = 512
FAMILIES = ["music-flamingo", "moss-music"]
SPECIALS = {
    "music-flamingo": ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<sound>", "<|sound_bos|>", "<|sound_eos|>"],
    "moss-music": ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>"],
}
FIRST_SPECIAL = VOCABULARY - 6
PAD, TURN, END, AUDIO, AUDIO_START, AUDIO_END = range(FIRST_SPECIAL, VOCABULARY)

# The families' default system turns, letter by letter (the spelling is the family's).
SYSTEM = {
    "music-flamingo": (
        "You are Music Flamingo, a multimodal assistant for language and music. On each turn you receive an audio "
        "clip which contains music and optional text, you will receive at least one or both; use your world knowledge "
        "and reasoning to help the user with any task. Interpret the entirety of the content any input "
        "music--regardlenss of whether the user calls it audio, music, or sound."),
    "moss-music": "You are a helpful assistant.",
}


def byte_letters():
    """The printable letter that stands for each byte in a byte-level vocabulary."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {byte: chr(byte) for byte in printable}
    others = (byte for byte in range(256) if byte not in letters)
    letters.update({byte: chr(0x100 + i) for i, byte in enumerate(others)})
    return letters


def pieces(text):
    """What the split rule makes of plain ASCII text, so that merges never cross its borders."""
    return re.findall(r"'(?:s|t|re|ve|m|ll|d)|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+[\r\n]*|\s+", text)


def sentences():
    """(text, weight): answers must become whole words, questions nearly so, system texts take what is left."""
    for answer in [*NOTES, *TIMBRES, *NUMBERS, *DIRECTIONS, *REGISTERS, *TEMPOS, "yes", "no", "first", "second"]:
        yield answer, 40
    for wording in itertools.chain.from_iterable(WORDINGS.values()):
        yield wording.format(1), 6
    yield "user\nAudio 1: \nAudio 2: ", 40
    yield "system\n", 20
    yield "assistant\n", 40
    for text in SYSTEM.values():
        yield text, 2


def train_merges(count):
    """Byte-pair merges over the sentences; of equally frequent pairs the alphabetically first one wins."""
    letters = byte_letters()
    words = Counter()
    for text, weight in sentences():
        for piece in pieces(text):
            words[tuple(letters[byte] for byte in piece.encode())] += weight
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


def tokenizer_files(family):
    """tokenizer.json and tokenizer_config.json of a Qwen2 byte-level tokenizer."""
    merges = train_merges(FIRST_SPECIAL - 256)
    specials = SPECIALS[family]
    symbols = sorted(byte_letters().values()) + [a + b for a, b in merges]
    split = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
             r"|\s*[\r\n]+|\s+(?!\S)|\s+")
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": FIRST_SPECIAL + i, "content": text, "single_word": False, "lstrip": False,
                          "rstrip": False, "normalized": False, "special": True} for i, text in enumerate(specials)],
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
    config = {"tokenizer_class": "Qwen2Tokenizer", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>",
              "unk_token": None, "bos_token": None, "add_prefix_space": False,
              "clean_up_tokenization_spaces": False, "model_max_length": 8192}
    if family == "music-flamingo":
        config["processor_class"] = "MusicFlamingoProcessor"
    return tokenizer, config


class Text:
    """Encodes the parts of a prompt."""

    def __init__(self, family):
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_str(json.dumps(tokenizer_files(family)[0]))
        self.system = self.ids("<|im_start|>system\n" + SYSTEM[family] + "<|im_end|>\n")
        self.family = family

    def ids(self, text):
        return self.tokenizer.encode(text).ids

    def audio(self, tokens):
        """The span of one source of `tokens` audio tokens, with MOSS-Music's time markers every 25 tokens."""
        span = [AUDIO_START]
        for i in range(tokens):
            span.append(AUDIO)
            if self.family == "moss-music" and (i + 1) % 25 == 0:
                span += [15 + int(digit) for digit in str(2 * (i + 1) // 25)]
        return [*span, AUDIO_END]

    def sources(self, token_counts):
        """The lines that stand in front of a question when it has no markers of its own."""
        if len(token_counts) == 1 and self.family == "music-flamingo":
            return [*self.audio(token_counts[0]), *self.ids("\n")]
        ids = []
        for i, tokens in enumerate(token_counts):
            lead = f"Audio {i + 1}: " if i == 0 else f"\nAudio {i + 1}: "
            ids += [*self.ids(lead), *self.audio(tokens)]
        return [*ids, *self.ids("\n")]

    def sources_after(self, token_counts, separator):
        """The sources behind a question, which a prompt with markers asks for: "question\\n<audio>"."""
        if len(token_counts) == 1:
            return [*self.ids(separator), *self.audio(token_counts[0])]
        ids = []
        for i, tokens in enumerate(token_counts):
            ids += [*self.ids(f"\nAudio {i + 1}: "), *self.audio(tokens)]
        return ids
