# SPDX-License-Identifier: GPL-3.0-or-later
"""The questions: what is rendered for each task, the wordings, and the one form of answer.

A `Clip` holds one to five sources and the questions that can be asked about them. `CLIPS` makes clips for training,
`TESTS` a balanced clip with one question for each task of the evaluation.
"""

from dataclasses import dataclass, field

import numpy as np

from synth import HIGHEST, LOWEST, NOTES, TIMBRES, clip, note

NUMBERS = ["one", "two", "three", "four", "five"]
DIRECTIONS = ["up", "down", "same"]
TEMPOS = {"slow": (45, 65), "middle": (90, 120), "fast": (170, 240)}  # beats per minute
REGISTERS = ["low", "middle", "high"]  # octaves 4, 5, 6

WORDINGS = {
    "pitch": ["Which note is this?", "What note do you hear?", "Name the note.", "Which note is played?"],
    "timbre": ["Which instrument is this?", "What instrument do you hear?", "Name the instrument.",
               "Which instrument is played?"],
    "register": ["Is the note low, middle or high?", "How high is the note?"],
    "silence": ["Is there any sound?", "Do you hear any sound?", "Is any note played?"],
    "source_pitch": ["Which note is in audio {}?", "What note do you hear in audio {}?", "Name the note of audio {}."],
    "source_timbre": ["Which instrument is in audio {}?", "What instrument do you hear in audio {}?",
                      "Name the instrument of audio {}."],
    "first_timbre": ["Which instrument comes first?", "What instrument do you hear first?",
                     "Which instrument is played first?"],
    "last_timbre": ["Which instrument comes last?", "What instrument do you hear last?",
                    "Which instrument is played last?"],
    "first_pitch": ["Which note comes first?", "What note do you hear first?"],
    "last_pitch": ["Which note comes last?", "What note do you hear last?"],
    "higher": ["Which audio is higher?", "Which audio has the higher note?", "Is the first or second audio higher?"],
    "louder": ["Which audio is louder?", "Which audio has the louder note?", "Is the first or second audio louder?"],
    "direction": ["Do the notes go up or down?", "Which way do the notes go?", "Is the melody going up or down?"],
    "count": ["How many notes are there?", "How many notes do you hear?", "Count the notes."],
    "tempo": ["Is the tempo slow, middle or fast?", "How fast is this?", "What is the tempo?"],
    "when": ["When does the sound start?", "In which second does the sound start?",
             "In which second is the note played?"],
}

# Asked in training only, as bridges to louder, higher, number and direction. (Not among WORDINGS, which the vocabulary
# is made of.)
BRIDGES = {
    "level": ["How loud is the note?", "How loud is this?"],
    "source_level": ["How loud is audio {}?", "How loud is the note in audio {}?"],
    "source_register": ["Is audio {} low, middle or high?", "How high is audio {}?"],
    "nth_pitch": ["Which is note {}?", "Name note {}."],
}


@dataclass
class Question:
    task: str
    text: str
    answer: str


@dataclass
class Note:
    start: float  # s
    pitch: int
    level: float  # dB
    sound: np.ndarray


def play(random, start, timbre, pitch, seconds, level):
    return Note(start, int(pitch), level, note(random, timbre, int(pitch), seconds, level))


@dataclass
class Clip:
    sources: list  # float32 samples of 16 kHz
    notes: list    # of each source: its Notes in the order in which they start
    questions: list = field(default_factory=list)

    @staticmethod
    def of(random, *sources):
        """Renders sources of (seconds, [Note, ...])."""
        return Clip([clip(random, seconds, [(played.start, played.sound) for played in notes])
                     for seconds, notes in sources],
                    [sorted(notes, key=lambda played: played.start) for _, notes in sources])

    def ask(self, random, task, answer, *words):
        wordings = WORDINGS.get(task) or BRIDGES[task]
        self.questions.append(Question(task, wordings[random.integers(len(wordings))].format(*words), answer))


def pick(random, values):
    return values[random.integers(len(values))]


def any_pitch(random):
    return int(random.integers(LOWEST, HIGHEST + 1))


def any_level(random):
    return random.uniform(-36, -14)


def level_class(level):
    return int(level > -30) + int(level > -22)


def register_class(pitch):
    return (pitch - LOWEST) // 12


def note_name(pitch):
    return NOTES[pitch % 12]


# --- what is rendered --------------------------------------------------------------------------------------------

def single(random, timbre=None, pitch=None, seconds=None):
    """One note somewhere in 0.5 to 2.5 seconds."""
    timbre = timbre or pick(random, TIMBRES)
    pitch = any_pitch(random) if pitch is None else pitch
    seconds = seconds or random.uniform(0.5, 2.5)
    length = random.uniform(0.35, min(1.5, seconds - 0.05))
    start, level = random.uniform(0, seconds - length), any_level(random)
    made = Clip.of(random, (seconds, [play(random, start, timbre, pitch, length, level)]))
    made.ask(random, "pitch", note_name(pitch))
    made.ask(random, "timbre", timbre)
    made.ask(random, "register", REGISTERS[register_class(pitch)])
    made.ask(random, "level", REGISTERS[level_class(level)])
    return made


def silent(random, sounding=False):
    """A clip to ask whether there is any sound."""
    if sounding:
        made = single(random)
        made.questions.clear()
    else:
        made = Clip.of(random, (random.uniform(0.5, 3), []))
    made.ask(random, "silence", "yes" if sounding else "no")
    return made


def two_events(random, first=None, last=None):
    """Two notes of different timbres, one after the other."""
    if first is None:
        first = pick(random, [name for name in TIMBRES if name != last])
    if last is None:
        last = pick(random, [name for name in TIMBRES if name != first])
    pitches = [any_pitch(random), any_pitch(random)]
    seconds = random.uniform(1.2, 3)
    lengths = [random.uniform(0.35, 0.45 * seconds) for _ in range(2)]
    free = seconds - sum(lengths)
    before, between = np.sort(random.uniform(0, free, 2))
    starts = [before, max(between, before + 0.02) + lengths[0]]
    level = any_level(random)
    made = Clip.of(random, (seconds, [
        play(random, start, timbre, pitch, length, level + random.uniform(-3, 3))
        for start, timbre, pitch, length in zip(starts, [first, last], pitches, lengths)]))
    made.ask(random, "first_timbre", first)
    made.ask(random, "last_timbre", last)
    made.ask(random, "first_pitch", note_name(pitches[0]))
    made.ask(random, "last_pitch", note_name(pitches[1]))
    return made


def melody(random, count=None, direction=None):
    """One to five notes of one timbre; the length of the clip does not depend on their number.

    Directed melodies go in steps of 2 to 5 semitones, the others ("free") anywhere within an octave.
    """
    if direction in DIRECTIONS and count is None:
        count = int(random.integers(2, 6))
    count = count or int(random.integers(1, 6))
    direction = direction or pick(random, [*DIRECTIONS, "free"])
    if count == 1:
        direction = "free"
    steps = random.integers(2, 6, count - 1)
    steps *= {"up": 1, "down": -1, "same": 0, "free": 1}[direction]
    pitches = np.concatenate([[0], np.cumsum(steps)])
    if direction == "free":
        pitches = random.integers(0, 13, count)
    pitches = pitches - pitches.min()
    pitches = pitches + random.integers(LOWEST, HIGHEST - pitches.max() + 1)

    seconds, timbre, level = random.uniform(1.6, 4), pick(random, TIMBRES), any_level(random)
    beat = random.uniform(0.27, min(0.75, (seconds - 0.1) / count))
    length = beat - random.uniform(0.06, 0.13)
    first = random.uniform(0, seconds - beat * count)
    made = Clip.of(random, (seconds, [
        play(random, first + i * beat, timbre, pitch, length, level) for i, pitch in enumerate(pitches)]))
    made.ask(random, "count", NUMBERS[count - 1])
    if direction in DIRECTIONS:
        made.ask(random, "direction", direction)
    made.ask(random, "first_pitch", note_name(int(pitches[0])))
    made.ask(random, "last_pitch", note_name(int(pitches[-1])))
    nth = int(random.integers(count))
    made.ask(random, "nth_pitch", note_name(int(pitches[nth])), nth + 1)
    return made


def pulse(random, tempo=None):
    """A steady pulse of short notes; their length does not depend on the tempo."""
    tempo = tempo or pick(random, list(TEMPOS))
    seconds, timbre, pitch = random.uniform(2.8, 5), pick(random, TIMBRES), any_pitch(random)
    beat = 60 / random.uniform(*TEMPOS[tempo])
    length, level = random.uniform(0.1, 0.2), any_level(random)
    starts = np.arange(random.uniform(0, beat), seconds - 0.1, beat)
    made = Clip.of(random, (seconds, [play(random, start, timbre, pitch, length, level) for start in starts]))
    made.ask(random, "tempo", tempo)
    made.ask(random, "timbre", timbre)
    made.ask(random, "pitch", note_name(pitch))
    return made


def several(random, count=None, higher=None, louder=None):
    """Several sources of one note each. Two sources are 3 semitones and 7 dB or more apart."""
    count = count or int(random.choice([2, 3, 4, 5], p=[0.64, 0.14, 0.11, 0.11]))
    timbres = [pick(random, TIMBRES) for _ in range(count)]
    pitches = [any_pitch(random) for _ in range(count)]
    levels = [any_level(random) for _ in range(count)]
    if count == 2:
        higher = random.integers(2) if higher is None else higher
        louder = random.integers(2) if louder is None else louder
        apart = int(random.integers(3, 25))
        low = int(random.integers(LOWEST, HIGHEST - apart + 1))
        pitches = [low, low + apart] if higher == 1 else [low + apart, low]
        apart = random.uniform(7, 18)
        quiet = random.uniform(-38, -14 - apart)
        levels = [quiet, quiet + apart] if louder == 1 else [quiet + apart, quiet]
    sources = []
    for timbre, pitch, level in zip(timbres, pitches, levels):
        seconds = random.uniform(0.5, 1.3)
        length = random.uniform(0.35, seconds - 0.05)
        start = random.uniform(0, seconds - length)
        sources.append((seconds, [play(random, start, timbre, pitch, length, level)]))
    made = Clip.of(random, *sources)
    for i in range(count):
        made.ask(random, "source_pitch", note_name(pitches[i]), i + 1)
        made.ask(random, "source_timbre", timbres[i], i + 1)
    if count == 2:
        for i in range(count):
            made.ask(random, "source_level", REGISTERS[level_class(levels[i])], i + 1)
            made.ask(random, "source_register", REGISTERS[register_class(pitches[i])], i + 1)
        for task, index in (("higher", higher), ("louder", louder)):
            made.ask(random, task, ["first", "second"][index])
            made.ask(random, task, ["first", "second"][index])
    return made


def starting(random, second=None, seconds=None):
    """One note that starts in a whole second of a clip of up to 10 seconds."""
    seconds = seconds or int(random.integers(2, 11))
    second = int(random.integers(seconds)) if second is None else second
    start = second + random.uniform(0.08, 0.92)
    whole = seconds + random.uniform(0.0, 0.3) if seconds < 10 else 10.0
    timbre, pitch = pick(random, TIMBRES), any_pitch(random)
    made = Clip.of(random, (whole, [
        play(random, start, timbre, pitch, random.uniform(0.4, 1.5), any_level(random))]))
    made.ask(random, "when", str(second))
    made.ask(random, "when", str(second))
    made.ask(random, "timbre", timbre)
    made.ask(random, "pitch", note_name(pitch))
    return made


def long_clip(random, shortest=10, longest=60, timbre=None, pitch=None):
    """One to eight equal notes anywhere in 10 to 60 seconds; the rest is silence."""
    timbre = timbre or pick(random, TIMBRES)
    pitch = any_pitch(random) if pitch is None else pitch
    seconds = random.uniform(shortest, longest)
    level = any_level(random)
    starts = random.uniform(0, seconds - 1, random.integers(1, 9))
    starts = [start for i, start in enumerate(starts) if i == 0 or np.min(np.abs(starts[:i] - start)) > 1.6]
    made = Clip.of(random, (seconds, [
        play(random, start, timbre, pitch, random.uniform(0.5, 1.5), level) for start in starts]))
    made.ask(random, "pitch", note_name(pitch))
    made.ask(random, "timbre", timbre)
    return made


# --- training ----------------------------------------------------------------------------------------------------

# Share of the clips, maker, questions that are asked at most of one clip.
MIXTURES = {
    "single notes": [(1.0, single, 4)],
    # What must be told apart by its place: to be learnt before all else goes on.
    "places": [
        (0.55, lambda random: several(random, 2), 4),
        (0.10, several, 4),
        (0.20, two_events, 4),
        (0.15, starting, 2),
    ],
    "all": [
        (0.07, single, 3),
        (0.05, lambda random: asking(single(random), "level", "register"), 2),
        (0.02, silent, 1),
        (0.02, lambda random: silent(random, True), 1),
        (0.08, two_events, 4),
        (0.17, melody, 4),
        (0.16, lambda random: asking(melody(random), "count", "direction", "nth_pitch"), 3),
        (0.12, pulse, 2),
        (0.11, several, 5),
        (0.10, lambda random: asking(several(random, 2), "source_level", "louder", "source_register", "higher"), 5),
        (0.10, starting, 3),
    ],
}


def asking(made, *wanted):
    """`made` with the questions of these tasks only."""
    made.questions = [question for question in made.questions if question.task in wanted]
    return made


def training_clip(random, mixture="all"):
    """A clip of the mixture with its questions thinned out and shuffled."""
    shares = np.array([share for share, _, _ in MIXTURES[mixture]])
    _, maker, most = MIXTURES[mixture][random.choice(len(shares), p=shares / shares.sum())]
    made = maker(random)
    order = random.permutation(len(made.questions))[:most]
    made.questions = [made.questions[i] for i in order]
    return made


# --- evaluation --------------------------------------------------------------------------------------------------

def only(made, *tasks, index=None):
    """`made` with its first question of one of `tasks` (or the one about source `index`) alone."""
    asked = [question for question in made.questions if question.task in tasks]
    made.questions = [asked[index or 0]]
    return made


def _pitch_of(random, i):
    return LOWEST + i % 12 + 12 * int(random.integers(3))


def _named(random, i, task, counts):
    """A question about one of several sources whose answer goes round all values."""
    count = counts[i % len(counts)]
    index = int(random.integers(count))
    wanted = (NOTES if task == "source_pitch" else TIMBRES)
    while True:
        made = only(several(random, count), task, index=index)
        if made.questions[0].answer == wanted[i % len(wanted)]:
            return made


def _when(random, i):
    seconds = 2 + i % 9
    return only(starting(random, second=(i // 9) % seconds, seconds=seconds), "when")


def _order(random, i):
    if i % 2:
        return only(two_events(random, last=TIMBRES[i // 2 % 6]), "last_timbre")
    return only(two_events(random, first=TIMBRES[i // 2 % 6]), "first_timbre")


# Name of the task: maker of its i-th clip with one question. The answers go round, so that sets are balanced.
TESTS = {
    "pitch class": lambda random, i: only(single(random, pitch=_pitch_of(random, i)), "pitch"),
    "timbre": lambda random, i: only(single(random, timbre=TIMBRES[i % 6]), "timbre"),
    "silence": lambda random, i: silent(random, i % 2 == 0),
    "pitch of a named source of two": lambda random, i: _named(random, i, "source_pitch", [2]),
    "timbre of a named source of two": lambda random, i: _named(random, i, "source_timbre", [2]),
    "pitch of a named source of three to five": lambda random, i: _named(random, i, "source_pitch", [3, 4, 5]),
    "timbre of a named source of three to five": lambda random, i: _named(random, i, "source_timbre", [3, 4, 5]),
    "first or last instrument": _order,
    "higher of two sources": lambda random, i: only(several(random, 2, higher=i % 2), "higher"),
    "louder of two sources": lambda random, i: only(several(random, 2, louder=i % 2), "louder"),
    "direction": lambda random, i: only(melody(random, direction=DIRECTIONS[i % 3]), "direction"),
    "number of notes": lambda random, i: only(melody(random, count=1 + i % 5), "count"),
    "tempo class": lambda random, i: only(pulse(random, list(TEMPOS)[i % 3]), "tempo"),
    "second in which the sound starts": _when,
    "pitch class, 10 to 30 s": lambda random, i: only(long_clip(random, 10, 30, pitch=_pitch_of(random, i)), "pitch"),
    "timbre, 10 to 30 s": lambda random, i: only(long_clip(random, 10, 30, timbre=TIMBRES[i % 6]), "timbre"),
    "pitch class, 30 to 60 s": lambda random, i: only(long_clip(random, 30, 60, pitch=_pitch_of(random, i)), "pitch"),
    "timbre, 30 to 60 s": lambda random, i: only(long_clip(random, 30, 60, timbre=TIMBRES[i % 6]), "timbre"),
}


def best_constant(answers):
    """The accuracy of always giving the answer that is right most often."""
    return max(answers.count(answer) for answer in set(answers)) / len(answers)
