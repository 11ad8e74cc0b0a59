# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences the demonstration tokenizer is trained on."""

import itertools
import re

# The family's default system turn, letter by letter (the spelling is the family's): models of it expect exactly this.
SYSTEM_TEXT = (
    "You are Music Flamingo, a multimodal assistant for language and music. On each turn you receive an audio clip "
    "which contains music and optional text, you will receive at least one or both; use your world knowledge and "
    "reasoning to help the user with any task. Interpret the entirety of the content any input music--regardlenss of "
    "whether the user calls it audio, music, or sound.")

_PITCHES = ["C", "C sharp", "D", "E flat", "E", "F", "F sharp", "G", "A flat", "A", "B flat", "B"]
_TIMBRES = ["plucked string", "flute", "bell", "organ", "trumpet", "drum"]
_ORDERS = ["first", "second", "third", "last"]

_QUESTIONS = [
    "Which note do you hear?", "What instrument is this?", "Is there silence in the clip?",
    "Which source is louder?", "Which source is higher?", "Does the melody go up or down?",
    "How many notes are there?", "When does the sound start?", "Is the music slow or fast?",
    "Describe this music.", "Compare the two sources.", "What is the tempo of the piece?",
    "Which key is the song in?", "What is the mood of the music?", "How does the rhythm change?",
]

_TALK = [
    "The melody rises and falls, then the sound fades into silence.",
    "A slow bass line moves below the bright chords of the piano.",
    "The rhythm is steady, the tempo is fast, and the mood is calm.",
    "One instrument plays the melody while another plays the harmony.",
    "The voice begins softly and grows louder toward the end of the song.",
    "The drum keeps the beat, the guitar follows, and the strings answer.",
    "There is no sound in the first second of the clip.",
    "The last note is higher than the first note.",
]


def _answers():
    for pitch, timbre in itertools.product(_PITCHES, _TIMBRES):
        yield f"The note is {pitch}, played by a {timbre}."
    for order, timbre in itertools.product(_ORDERS, _TIMBRES):
        yield f"The {order} source is a {timbre}."
    for seconds in range(10):
        yield f"The sound starts at second {seconds}."
    for word in ("louder", "softer", "higher", "lower", "slower", "faster"):
        yield f"The second source is {word} than the first source."


SENTENCES = [*_QUESTIONS * 3, *_TALK * 4, *_answers()]


def pieces(text):
    """What the tokenizer's split rule makes of plain ASCII text, so that merges never cross its borders."""
    return re.findall(r"'(?:s|t|re|ve|m|ll|d)|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+[\r\n]*|\s+", text)
