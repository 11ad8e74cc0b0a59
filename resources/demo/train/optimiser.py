# SPDX-License-Identifier: GPL-3.0-or-later
"""Muon for the inner matrices, AdamW for all else, under one schedule."""

import torch

MUON_RATE, ADAM_RATE, WARM_UP = 0.0125, 2.5e-3, 100
HOLD = 0.4  # share of the steps before the rates fall


class Optimiser:
    def __init__(self, model, steps, renewal):
        """`renewal`: the step at which a part begins anew and the rates rise once more."""
        matrices, others = [], []
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                (matrices if parameter.dim() == 2 and not model.is_table(name) else others).append(parameter)
        self.parts = [
            (torch.optim.Muon(matrices, lr=MUON_RATE, momentum=0.95, weight_decay=0.02, adjust_lr_fn="original"),
             MUON_RATE),
            (torch.optim.AdamW(others, lr=ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.01), ADAM_RATE)]
        self.parameters = [*matrices, *others]
        self.steps, self.renewal = steps, renewal

    def share(self, step):
        """Of the full rate: up in 100 steps, constant to HOLD, then straight down to 2 %."""
        fall = max(0, step / self.steps - HOLD) / (1 - HOLD)
        rising = step - self.renewal if step >= self.renewal else step
        return min(1, (rising + 1) / WARM_UP) * (1 - 0.98 * fall)

    def forget(self, part):
        """What is known of the gradients of a part that begins anew."""
        for parameter in part.parameters():
            for optimiser, _ in self.parts:
                optimiser.state.pop(parameter, None)

    def step(self, step):
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        for optimiser, rate in self.parts:
            for group in optimiser.param_groups:
                group["lr"] = rate * self.share(step)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)

    def state_dict(self):
        return [optimiser.state_dict() for optimiser, _ in self.parts]

    def load_state_dict(self, states):
        for (optimiser, _), state in zip(self.parts, states):
            optimiser.load_state_dict(state)
