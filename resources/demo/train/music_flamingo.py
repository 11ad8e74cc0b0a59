# SPDX-License-Identifier: GPL-3.0-or-later
"""A small Music Flamingo of Transformers' own classes, and the shortcuts that make its training cheap.

The shortcuts are exact: short windows are not padded to 30 s (the padding's values are used where the convolutions
read them, and its positions are masked), and the system turn is computed once for all rows of a batch.
"""

import math

import torch
from transformers import DynamicCache, MusicFlamingoConfig, MusicFlamingoForConditionalGeneration
from transformers.models.musicflamingo.modeling_musicflamingo import apply_rotary_time_emb

from data import MARKS, STEPS, groups, music_flamingo_windows
from tokenizer import AUDIO, AUDIO_END, AUDIO_START, END, PAD, VOCABULARY

AUDIO_SIZE = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 320}
TEXT_SIZE = {"hidden_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
             "intermediate_size": 288}
EMBEDDING_STD = 0.5
POSITIONS, RAISED = 0.1, 8  # amplitude of the sinusoids at first, and its factor when the convolutions have grown
RESIDUAL_WRITERS = ("out_proj", "fc2", "o_proj", "down_proj")


def config_dict():
    """config.json of the snapshot."""
    return {
        "architectures": ["MusicFlamingoForConditionalGeneration"], "model_type": "musicflamingo",
        "dtype": "bfloat16",
        "audio_token_id": AUDIO, "audio_bos_token_id": AUDIO_START, "audio_eos_token_id": AUDIO_END,
        "audio_frame_step": 0.01, "projector_hidden_act": "gelu", "projector_bias": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1200, "partial_rotary_factor": 0.2},
        "audio_config": {
            "model_type": "audioflamingo3_encoder", **AUDIO_SIZE, "num_mel_bins": 128,
            "max_source_positions": 1500, "activation_function": "gelu", "scale_embedding": False,
            "dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0, "layerdrop": 0.0},
        "text_config": {
            "model_type": "qwen2", **TEXT_SIZE, "hidden_act": "silu", "rms_norm_eps": 1e-6,
            "vocab_size": VOCABULARY, "max_position_embeddings": 32768,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e6}, "use_sliding_window": False,
            "tie_word_embeddings": False, "attention_dropout": 0.0, "eos_token_id": END, "pad_token_id": PAD},
    }


def sinusoids(length, width):
    """Whisper's positions: the first half of a row are sines, the second cosines, of falling frequency."""
    steps = torch.exp(-math.log(10000) / (width // 2 - 1) * torch.arange(width // 2))
    angle = torch.arange(length)[:, None] * steps[None]
    return torch.cat([angle.sin(), angle.cos()], dim=1)


def initialise(model, residual_writers, embedding_std=EMBEDDING_STD):
    """Every matrix N(0, 1 / inputs), those that write to the residual stream 0.4 times that; norms 1, biases 0."""
    with torch.no_grad():
        for name, module in model.named_modules():
            weight = getattr(module, "weight", None)
            if weight is None:
                continue
            if isinstance(module, torch.nn.Embedding):
                weight.normal_(0, embedding_std)
            elif weight.dim() > 1:
                gain = 0.4 if name.rsplit(".", 1)[-1] in residual_writers else 1.0
                weight.normal_(0, gain / math.sqrt(weight[0].numel()))
            else:
                weight.fill_(1)
            if getattr(module, "bias", None) is not None:
                module.bias.zero_()


class MusicFlamingo(torch.nn.Module):
    """The model with `hidden(batch)` for training."""

    shared_system = True
    with_system = True  # whether the system turn is there; without it the positions stay the same

    def __init__(self, text):
        super().__init__()
        self.net = MusicFlamingoForConditionalGeneration(MusicFlamingoConfig(**config_dict()))
        self.marks = torch.nn.ModuleList(torch.nn.Linear(TEXT_SIZE["hidden_size"], sum(asked.values()))
                                         for asked in (MARKS, STEPS))  # not part of the snapshot
        initialise(self, RESIDUAL_WRITERS)
        positions = self.net.model.audio_tower.embed_positions.weight
        with torch.no_grad():
            positions.copy_(POSITIONS * sinusoids(*positions.shape))
        positions.requires_grad_(False)
        self.register_buffer("system", torch.tensor([text.system]), persistent=False)

    @staticmethod
    def is_table(name):
        """Whether AdamW (and not Muon) moves this matrix."""
        return any(table in name for table in ("embed_tokens", "lm_head", "marks"))

    def language_parts(self):
        return [self.net.model.language_model, self.net.lm_head, self.marks]

    def sound_writers(self):
        return [self.net.model.multi_modal_projector.linear_2]

    def raise_positions(self):
        self.net.model.audio_tower.embed_positions.weight.mul_(RAISED)

    def encode(self, sources, random=None):
        """Projected tokens of all sources, [U, width]."""
        windows = [(mel, c, k) for samples in sources for k, (mel, c) in enumerate(music_flamingo_windows(samples))]
        windows = [window for window in windows if window[1] > 1]  # the others have no token
        rows = [None] * len(windows)
        for group in groups([c for _, c, _ in windows]):
            for i, tokens in zip(group, self._encode_windows([windows[i] for i in group])):
                rows[i] = tokens
        return torch.cat(rows)

    def _encode_windows(self, windows):
        """Tokens of each (mel, positions, index of the window in its source)."""
        tower = self.net.model.audio_tower
        counts = torch.tensor([c for _, c, _ in windows])
        width = max(mel.shape[1] for mel, _, _ in windows)
        mels = torch.stack([torch.nn.functional.pad(mel, (0, width - mel.shape[1])) for mel, _, _ in windows])
        c = int(counts.max())
        hidden = torch.nn.functional.gelu(tower.conv1(mels))
        hidden = torch.nn.functional.gelu(tower.conv2(hidden))[:, :, :c].transpose(1, 2)
        hidden = hidden + tower.embed_positions.weight[:c]
        mask = None
        if int(counts.min()) < c:
            mask = (torch.arange(c)[None] < counts[:, None])[:, None, None, :].expand(-1, 1, c, -1)
        for layer in tower.layers:
            hidden = layer(hidden, mask)
        raw = tower.layer_norm(tower.avg_pooler(hidden.transpose(1, 2)).transpose(1, 2))

        index = torch.tensor([float(k) for _, _, k in windows])
        times = index[:, None] * 750 * 0.04 + torch.arange(750, dtype=torch.float32) * 0.04
        cos, sin = self.net.model.pos_emb(times, seq_len=750)
        turned = apply_rotary_time_emb(raw, cos[:, :raw.shape[1]], sin[:, :raw.shape[1]])
        projected = self.net.model.multi_modal_projector(turned)
        return [projected[i, :int(count) // 2] for i, count in enumerate(counts)]

    def hidden(self, batch, random=None, attention=False):
        """Hidden states after the final norm, [B, L, width], the sound tokens [[U, width]], and what `marks` says of
        them behind the first two layers; or the attention of each layer, [B, heads, L, keys]."""
        language = self.net.model.language_model
        audio = self.encode(batch.sources)
        embeds = language.embed_tokens(batch.ids)
        embeds = embeds.masked_scatter((batch.ids == AUDIO)[..., None], audio)

        cache, mask = None, batch.mask
        if self.with_system:
            cache = self._system_cache(language, len(embeds))
        else:
            mask = mask[..., self.system.shape[1]:]
        inputs = {"inputs_embeds": embeds, "position_ids": batch.positions, "cache": cache,
                  "use_cache": cache is not None}
        if attention:
            self.net.set_attn_implementation("eager")
            added = torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)
            return language(**inputs, attention_mask={"full_attention": added}, output_attentions=True).attentions
        made = language(**inputs, attention_mask={"full_attention": mask}, output_hidden_states=True)
        told = [head(layer[batch.ids == AUDIO]) for head, layer in zip(self.marks, made.hidden_states[1:])]
        return made.last_hidden_state, [audio], told

    def _system_cache(self, language, rows):
        """The system turn, computed once and shared by all rows."""
        cache = DynamicCache(config=language.config)
        n = self.system.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool).tril()[None, None]
        language(input_ids=self.system, attention_mask={"full_attention": causal}, cache=cache, use_cache=True)
        for layer in cache.layers:
            layer.keys = layer.keys.expand(rows, -1, -1, -1)
            layer.values = layer.values.expand(rows, -1, -1, -1)
        return cache

    def logits(self, hidden):
        return self.net.lm_head(hidden)
