# SPDX-License-Identifier: GPL-3.0-or-later
"""A small MOSS-Music for training: Earscope's own PyTorch copy of the family's layers, with its tensor names."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from data import MARKS, STEPS, groups, moss_music_mel
from music_flamingo import RESIDUAL_WRITERS, initialise, sinusoids
from tokenizer import AUDIO, END, PAD, VOCABULARY

WIDTH, AUDIO_LAYERS, AUDIO_HEADS, AUDIO_MLP, CHANNELS, ADAPTER = 128, 3, 4, 256, 24, 128
TEXT_LAYERS, TEXT_HEADS, TEXT_KV_HEADS, HEAD, TEXT_MLP = 3, 4, 2, 32, 288
DEEPSTACK = [0, 1, 2]  # encoder layers whose output goes into the language model behind its layers 0, 1, 2
CHUNK = 400            # mel frames that the encoder sees at once
THETA, EPSILON = 1e6, 1e-6


def config_dict():
    """config.json of the snapshot."""
    return {
        "architectures": ["MossMusicModel"], "model_type": "moss_music", "dtype": "bfloat16",
        "adapter_hidden_size": ADAPTER, "deepstack_num_inject_layers": len(DEEPSTACK), "ignore_index": -100,
        "tie_word_embeddings": False, "bos_token_id": PAD, "eos_token_id": END, "pad_token_id": PAD,
        "vocab_size": VOCABULARY,
        "audio_config": {
            "_attn_implementation": "eager", "d_model": WIDTH, "output_dim": WIDTH, "num_mel_bins": 128,
            "encoder_layers": AUDIO_LAYERS, "encoder_attention_heads": AUDIO_HEADS, "encoder_ffn_dim": AUDIO_MLP,
            "downsample_hidden_size": CHANNELS, "downsample_rate": 8, "encoder_attention_window_size": 100,
            "layer_norm_eps": 1e-5, "activation_function": "gelu", "n_window": CHUNK // 2, "conv_chunksize": 64,
            "max_source_positions": 1500, "deepstack_encoder_layer_indexes": DEEPSTACK, "dropout": 0.0,
            "attention_dropout": 0.0, "activation_dropout": 0.0},
        "language_config": {
            "model_type": "qwen3", "hidden_size": WIDTH, "num_hidden_layers": TEXT_LAYERS,
            "num_attention_heads": TEXT_HEADS, "num_key_value_heads": TEXT_KV_HEADS, "head_dim": HEAD,
            "intermediate_size": TEXT_MLP, "hidden_act": "silu", "rms_norm_eps": EPSILON, "rope_theta": THETA,
            "vocab_size": VOCABULARY, "max_position_embeddings": 40960, "attention_bias": False,
            "attention_dropout": 0.0, "use_sliding_window": False, "tie_word_embeddings": False,
            "bos_token_id": PAD, "eos_token_id": END},
    }


class EncoderAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj = nn.Linear(WIDTH, WIDTH)
        self.k_proj = nn.Linear(WIDTH, WIDTH, bias=False)
        self.v_proj = nn.Linear(WIDTH, WIDTH)
        self.out_proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, mask):
        parts = [projection(x).unflatten(-1, (AUDIO_HEADS, -1)).transpose(1, 2)
                 for projection in (self.q_proj, self.k_proj, self.v_proj)]
        return self.out_proj(F.scaled_dot_product_attention(*parts, attn_mask=mask).transpose(1, 2).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn = EncoderAttention()
        self.self_attn_layer_norm = nn.LayerNorm(WIDTH)
        self.fc1 = nn.Linear(WIDTH, AUDIO_MLP)
        self.fc2 = nn.Linear(AUDIO_MLP, WIDTH)
        self.final_layer_norm = nn.LayerNorm(WIDTH)

    def forward(self, x, mask):
        x = x + self.self_attn(self.self_attn_layer_norm(x), mask)
        return x + self.fc2(F.gelu(self.fc1(self.final_layer_norm(x))))


class Encoder(nn.Module):
    """Three convolutions over time and frequency, then layers that see one chunk each."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, CHANNELS, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(CHANNELS, CHANNELS, 3, stride=2, padding=1)
        self.conv3 = nn.Conv2d(CHANNELS, CHANNELS, 3, stride=2, padding=1)
        self.stem_proj = nn.Linear(CHANNELS * 16, WIDTH)
        self.layers = nn.ModuleList(EncoderLayer() for _ in range(AUDIO_LAYERS))
        self.layer_norm = nn.LayerNorm(WIDTH)
        self.register_buffer("positions", sinusoids(CHUNK // 8, WIDTH), persistent=False)

    def forward(self, chunks, counts):
        """Chunks [N, 128, P] of `counts` [N] tokens -> all tokens [U, WIDTH], and those of the DeepStack layers."""
        x = chunks[:, None]
        for conv in (self.conv1, self.conv2, self.conv3):
            x = F.gelu(conv(x))
        x = self.stem_proj(x.permute(0, 3, 1, 2).flatten(2))
        length = x.shape[1]
        x = x + self.positions[:length]
        valid = torch.arange(length)[None] < counts[:, None]
        mask = None if bool(valid.all()) else valid[:, None, None, :].expand(-1, 1, length, -1)
        deep = []
        for i, layer in enumerate(self.layers):
            x = layer(x, mask)
            if i in DEEPSTACK:
                deep.append(x[valid])
        return self.layer_norm(x)[valid], deep


class Gated(nn.Module):
    """down(silu(gate x) * up x): the adapters and the language model's inner layers."""

    def __init__(self, inputs, inner, outputs):
        super().__init__()
        self.gate_proj = nn.Linear(inputs, inner, bias=False)
        self.up_proj = nn.Linear(inputs, inner, bias=False)
        self.down_proj = nn.Linear(inner, outputs, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


def rotate(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


class TextAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj = nn.Linear(WIDTH, TEXT_HEADS * HEAD, bias=False)
        self.k_proj = nn.Linear(WIDTH, TEXT_KV_HEADS * HEAD, bias=False)
        self.v_proj = nn.Linear(WIDTH, TEXT_KV_HEADS * HEAD, bias=False)
        self.o_proj = nn.Linear(TEXT_HEADS * HEAD, WIDTH, bias=False)
        self.q_norm = nn.RMSNorm(HEAD, EPSILON)
        self.k_norm = nn.RMSNorm(HEAD, EPSILON)
        self.weights = None  # a list that collects the attention weights while there is one

    def forward(self, x, mask, cos, sin):
        q, k, v = (projection(x).unflatten(-1, (-1, HEAD)) for projection in (self.q_proj, self.k_proj, self.v_proj))
        q = rotate(self.q_norm(q).transpose(1, 2), cos, sin)
        k = rotate(self.k_norm(k).transpose(1, 2), cos, sin)
        repeats = TEXT_HEADS // TEXT_KV_HEADS
        k, v = k.repeat_interleave(repeats, 1), v.transpose(1, 2).repeat_interleave(repeats, 1)
        if self.weights is not None:
            scores = (q @ k.transpose(-1, -2) / math.sqrt(HEAD)).masked_fill(~mask, -math.inf)
            self.weights.append(scores.softmax(-1))
        return self.o_proj(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2))


class TextLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.input_layernorm = nn.RMSNorm(WIDTH, EPSILON)
        self.self_attn = TextAttention()
        self.post_attention_layernorm = nn.RMSNorm(WIDTH, EPSILON)
        self.mlp = Gated(WIDTH, TEXT_MLP, WIDTH)

    def forward(self, x, mask, cos, sin):
        x = x + self.self_attn(self.input_layernorm(x), mask, cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(TextLayer() for _ in range(TEXT_LAYERS))
        self.norm = nn.RMSNorm(WIDTH, EPSILON)

    def forward(self, x, mask, positions, at, deep):
        """`deep` is added behind the first layers at the positions `at`. -> behind the norm, behind each layer"""
        angle = positions[:, None, :, None] * THETA ** (-torch.arange(0, HEAD, 2) / HEAD)
        angle = torch.cat([angle, angle], -1)
        cos, sin = angle.cos(), angle.sin()
        layers = []
        for i, layer in enumerate(self.layers):
            x = layer(x, mask, cos, sin)
            if i < len(deep):
                x = x + torch.zeros_like(x).masked_scatter(at[..., None], deep[i])
            layers.append(x)
        return self.norm(x), layers


class Net(nn.Module):
    """The parts under the names that they have in a snapshot."""

    def __init__(self):
        super().__init__()
        self.audio_encoder = Encoder()
        self.audio_adapter = Gated(WIDTH, ADAPTER, WIDTH)
        self.deepstack_audio_merger_list = nn.ModuleList(Gated(WIDTH, ADAPTER, WIDTH) for _ in DEEPSTACK)
        self.language_model = LanguageModel()
        self.lm_head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def encode(self, mels, pad_to=0):
        """Tokens of each source as [projected, deep 0, 1, 2]. Chunks are padded with zeros to the longest of the
        call, as the family does it (the last token of a chunk reads a little of the padding)."""
        chunks = [chunk for mel in mels for chunk in mel.split(CHUNK, dim=1)]
        width = max(min(CHUNK, pad_to), max(chunk.shape[1] for chunk in chunks))
        counts = [-(-chunk.shape[1] // 8) for chunk in chunks]
        raw, deep = self.audio_encoder(
            torch.stack([F.pad(chunk, (0, width - chunk.shape[1])) for chunk in chunks]), torch.tensor(counts))
        streams = [self.audio_adapter(raw),
                   *(merger(tokens) for merger, tokens in zip(self.deepstack_audio_merger_list, deep))]
        tokens = [-(-mel.shape[1] // 8) for mel in mels]
        return list(zip(*(stream.split(tokens) for stream in streams)))


class MossMusic(nn.Module):
    """The model with `hidden(batch)` for training."""

    shared_system = False

    def __init__(self, text):
        super().__init__()
        self.net = Net()
        self.marks = nn.ModuleList(nn.Linear(WIDTH, sum(asked.values()))
                                   for asked in (MARKS, STEPS))  # not part of the snapshot
        initialise(self, RESIDUAL_WRITERS)

    @staticmethod
    def is_table(name):
        """Whether AdamW (and not Muon) moves this matrix."""
        return any(table in name for table in ("embed_tokens", "lm_head", "marks"))

    def language_parts(self):
        return [self.net.language_model, self.net.lm_head, self.marks]

    def sound_writers(self):
        return [adapter.down_proj for adapter in (self.net.audio_adapter, *self.net.deepstack_audio_merger_list)]

    def raise_positions(self):
        """The family's positions are not weights."""

    def encode(self, sources, random=None):
        """Projected tokens of all sources and of the three DeepStack paths, each [U, width].

        With a `random`, half of the calls are padded to whole tokens: what a source under 4 s becomes depends on
        what stands beside it, and the model shall know both.
        """
        mels = [moss_music_mel(samples) for samples in sources]
        streams = [None] * len(mels)
        for group in groups([mel.shape[1] for mel in mels]):
            longest = max(mels[i].shape[1] for i in group)
            more = random is not None and random.random() < 0.5
            tokens = self.net.encode([mels[i] for i in group], -(-longest // 8) * 8 if more else 0)
            for i, own in zip(group, tokens):
                streams[i] = own
        return [torch.cat(rows) for rows in zip(*streams)]

    def hidden(self, batch, random=None, attention=False):
        """Hidden states after the final norm, [B, L, width], the sound tokens of all paths, each [U, width], and
        what `marks` says of them behind the first two layers; or the attention of each layer, [B, heads, L, L]."""
        audio, *deep = self.encode(batch.sources, random)
        language, at = self.net.language_model, batch.ids == AUDIO
        embeds = language.embed_tokens(batch.ids).masked_scatter(at[..., None], audio)
        weights = [] if attention else None
        for layer in language.layers:
            layer.self_attn.weights = weights
        hidden, layers = language(embeds, batch.mask, batch.positions, at, deep)
        return weights if attention else (
            hidden, [audio, *deep], [head(layer[at]) for head, layer in zip(self.marks, layers)])

    def logits(self, hidden):
        return self.net.lm_head(hidden)
