# SPDX-License-Identifier: GPL-3.0-or-later
"""Log-mel spectrograms of both families, rows of tokens with several questions each, and batches of equal cost."""

from dataclasses import dataclass

import numpy as np
import torch

import tasks
from tokenizer import AUDIO, END, PAD

HOP, FFT, BINS, WINDOW = 160, 400, 128, 480_000
POOL = 8  # batches that are cut from one pool of clips


def _slaney_filters():
    """128 triangles on the Slaney scale from 0 to 8000 Hz, each of equal area."""
    def to_hertz(mels):
        linear, step = mels * 200 / 3, np.log(6.4) / 27
        return np.where(mels < 15, linear, 1000 * np.exp(step * (mels - 15)))

    highest = 15 + np.log(8000 / 1000) / (np.log(6.4) / 27)
    edges = to_hertz(np.linspace(0, highest, BINS + 2))
    bins = np.linspace(0, 8000, FFT // 2 + 1)
    rising = (bins[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins[None]) / (edges[2:] - edges[1:-1])[:, None]
    filters = np.maximum(0, np.minimum(rising, falling)) * (2 / (edges[2:] - edges[:-2]))[:, None]
    return torch.tensor(filters, dtype=torch.float32)


_FILTERS, _HANN = _slaney_filters(), torch.hann_window(FFT)


def _log_mel(samples):
    """log10 of the mel power of every centred frame, [128, 1 + samples // 160]."""
    power = torch.stft(samples, FFT, HOP, window=_HANN, return_complex=True).abs() ** 2
    return (_FILTERS @ power).clamp_min(1e-10).log10()


def music_flamingo_windows(samples):
    """Windows of 30 s as (mel [128, 2c + 1], c), where c is the number of positions behind the convolutions.

    The frames behind the sound are those of the family's padding to 30 s, as far as the convolutions read them.
    """
    samples, windows = torch.from_numpy(samples), []
    for piece in samples.split(WINDOW):
        frames = -(-len(piece) // HOP)
        c = (frames - 1) // 2 + 1
        padded = torch.nn.functional.pad(piece, (0, min(WINDOW, len(piece) + 4 * FFT) - len(piece)))
        mel = _log_mel(padded)[:, :min(2 * c + 1, WINDOW // HOP)]
        windows.append(((mel.clamp_min(mel.max() - 8) + 4) / 4, c))
    return windows


def moss_music_mel(samples):
    """The whole source, [128, samples // 160]."""
    mel = _log_mel(torch.from_numpy(samples))[:, :-1]
    return (mel.clamp_min(mel.max() - 8) + 4) / 4


def music_flamingo_tokens(samples):
    full, rest = divmod(len(samples), WINDOW)
    return 750 * full + (-(-rest // HOP) + 1) // 4


def moss_music_tokens(samples):
    return -(-(len(samples) // HOP) // 8)


TOKENS = {"music-flamingo": music_flamingo_tokens, "moss-music": moss_music_tokens}
TOKEN_SECONDS = {"music-flamingo": 0.04, "moss-music": 0.08}

# What is asked of each audio token in training, with the number of classes. Behind the first layer of the language
# model: its source, how many notes have begun in it so far, its second (what is beyond counts as the last), register
# and level of the note that sounds (0 before the first). Behind the second: whether the note that sounds is higher or louder than the one before it, in the same source or the one before.
MARKS = {"source": 5, "notes": 7, "second": 11, "register": 4, "level": 4}
STEPS = {"pitch": 4, "level": 4}


def step_class(difference, equal):
    """1 up, 2 down, 3 the same; 0 is for what has nothing before it."""
    return 3 if abs(difference) <= equal else 1 if difference > 0 else 2


def marks(family, clip):
    """Of every audio token of the clip, [tokens, 7]."""
    made, before = [], None
    for index, (samples, notes) in enumerate(zip(clip.sources, clip.notes)):
        ends = (torch.arange(TOKENS[family](samples)) + 1) * TOKEN_SECONDS[family]
        begun = torch.bucketize(ends, torch.tensor([played.start for played in notes], dtype=torch.float32))
        heard = [(0, 0, 0, 0)]
        for played in notes:
            steps = (0, 0) if before is None else (step_class(played.pitch - before.pitch, 0),
                                                   step_class(played.level - before.level, 1))
            heard.append((1 + tasks.register_class(played.pitch), 1 + tasks.level_class(played.level), *steps))
            before = played
        second = (ends - TOKEN_SECONDS[family] / 2).long()
        made.append(torch.cat([torch.stack([torch.full_like(second, index), begun.clamp_max(MARKS["notes"] - 1),
                                            second.clamp_max(MARKS["second"] - 1)], dim=1),
                               torch.tensor(heard)[begun]], dim=1))
    return torch.cat(made)


@dataclass
class Row:
    ids: list
    positions: list
    blocks: list  # 0: seen by all later tokens; j: question j, seen by itself; questions see block 0
    labels: list  # (index of the token that predicts, id)


class Rows:
    """Writes clips and questions as rows of tokens."""

    def __init__(self, text, shared_system):
        """`shared_system`: the system turn is computed once a batch and is not part of the rows."""
        self.text = text
        self.count = TOKENS[text.family]
        self.offset = len(text.system) if shared_system else 0
        self.lead = ([] if shared_system else text.system) + text.ids("<|im_start|>user\n")
        self.answer_turn = text.ids("<|im_end|>\n<|im_start|>assistant\n")

    def row(self, random, clip, before=False):
        """All questions of the clip behind its sources, or the first question before them."""
        counts = [self.count(samples) for samples in clip.sources]
        if before:
            separator = "" if len(counts) > 1 else tasks.pick(random, ["\n", " "])
            question = clip.questions[0]
            ids = [*self.lead, *self.text.ids(question.text + separator),
                   *self.text.sources_after(counts, "")]
            return self._finish(ids, [([], question.answer)])
        return self._finish([*self.lead, *self.text.sources(counts)],
                            [(self.text.ids(question.text), question.answer) for question in clip.questions])

    def _finish(self, prefix, questions):
        row = Row(list(prefix), list(range(len(prefix))), [0] * len(prefix), [])
        for j, (question, answer) in enumerate(questions, 1):
            answer = [*self.text.ids(answer), END]
            asked = [*question, *self.answer_turn]
            first = len(row.ids) + len(asked) - 1
            row.labels += [(first + i, id) for i, id in enumerate(answer)]
            block = [*asked, *answer[:-1]]
            row.ids += block
            row.positions += range(len(prefix), len(prefix) + len(block))
            row.blocks += [j] * len(block)
        row.positions = [self.offset + position for position in row.positions]
        return row


@dataclass
class Batch:
    sources: list            # float32 samples, in the order of the audio tokens
    ids: torch.Tensor        # [B, L]
    positions: torch.Tensor  # [B, L]
    mask: torch.Tensor       # bool [B, 1, L, offset + L]: query sees key
    rows: torch.Tensor       # of the tokens that predict
    columns: torch.Tensor
    targets: torch.Tensor
    questions: list          # (task, number of targets), in the order of the targets
    marks: torch.Tensor      # [U, 7] of the audio tokens


def assemble(rows, clips, offset, asked, told):
    """A batch of `rows`; `offset` positions of a shared system turn stand before them."""
    width = max(len(row.ids) for row in rows)
    ids = torch.full((len(rows), width), PAD)
    positions = torch.full((len(rows), width), offset)
    blocks = torch.full((len(rows), width), -1)
    labels = []
    for b, row in enumerate(rows):
        ids[b, :len(row.ids)] = torch.tensor(row.ids)
        positions[b, :len(row.ids)] = torch.tensor(row.positions)
        blocks[b, :len(row.ids)] = torch.tensor(row.blocks)
        labels += [(b, index, id) for index, id in row.labels]
    key, query = blocks[:, None, :], blocks[:, :, None]
    causal = torch.ones(width, width, dtype=torch.bool).tril()
    mask = causal & ((key == 0) | (key == query)) & (key >= 0) | torch.eye(width, dtype=torch.bool)
    if offset:
        mask = torch.cat([torch.ones(len(rows), width, offset, dtype=torch.bool), mask], dim=2)
    where = torch.tensor(labels)
    return Batch([samples for clip in clips for samples in clip.sources], ids, positions, mask[:, None], where[:, 0],
                 where[:, 1], where[:, 2], asked, told)


def batch_of(rows, random, clips, before_share):
    """One batch of the clips with all their questions."""
    made, asked = [], []
    for clip in clips:
        before = random.random() < before_share
        row = rows.row(random, clip, before)
        made.append(row)
        lengths = [len(rows.text.ids(question.answer)) + 1 for question in clip.questions]
        asked += [(question, length) for question, length in zip(clip.questions, lengths)][:1 if before else None]
    told = torch.cat([marks(rows.text.family, clip) for clip in clips])
    return assemble(made, clips, rows.offset, asked, told)


def pools(rows, seed, first, mixture_at, batches=POOL, size=32, before_share=0.15):
    """Batches for ever, starting with number `first`. Each `batches` of them come from one pool of clips of similar
    total length, cut so that every batch costs about the same; pool p depends on `seed` and p only. `mixture_at` names
    the mixture of clips for a step."""
    pool = first // batches
    skip = first % batches
    while True:
        random = np.random.default_rng([seed, pool])
        clips = [tasks.training_clip(random, mixture_at(pool * batches)) for _ in range(batches * size)]
        cost = np.array([sum(len(samples) / HOP / 4 + 6 for samples in clip.sources) + 25 for clip in clips])
        order = np.argsort(cost)
        share = np.cumsum(cost[order]) / cost.sum() * batches
        parts = [[clips[i] for i in order[(share > b) & (share <= b + 1 + 1e-9)]] for b in range(batches)]
        made = [batch_of(rows, random, part, before_share) for part in parts]
        random.shuffle(made)
        yield from made[skip:]
        pool, skip = pool + 1, 0


def groups(lengths, waste=0.7):
    """Indexes of similar lengths together, so that little is padded: lists, the longest first."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    made = [[order[0]]]
    for i in order[1:]:
        if lengths[i] < waste * lengths[made[-1][0]] and len(made[-1]) >= 4:
            made.append([])
        made[-1].append(i)
    return made
