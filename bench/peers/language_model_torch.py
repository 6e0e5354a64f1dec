"""GPT-2 on random tokens in PyTorch on a GPU, the peer of bench/language_model.cpp. Prints one JSON object."""

from __future__ import annotations

import argparse
import json
import time

import language_model
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, context, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, context, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.proj(mixed.transpose(1, 2).reshape(batch, context, width))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, flags: argparse.Namespace) -> None:
        super().__init__()
        self.embed = nn.Embedding(flags.vocabulary, flags.width)
        self.position = nn.Embedding(flags.context, flags.width)
        self.blocks = nn.Sequential(*(Block(flags.width, flags.heads) for _ in range(flags.layers)))
        self.norm = nn.LayerNorm(flags.width)
        for parameter in self.parameters():
            if parameter.ndim >= 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens[:, :-1]) + self.position.weight
        logits = F.linear(self.norm(self.blocks(x)), self.embed.weight)
        return F.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())


def main() -> None:
    modes = ("compile", "eager", "max-autotune", "reduce-overhead")
    flags = language_model.parse(__doc__, {"mode": modes})
    start = time.perf_counter()
    torch.manual_seed(1)
    device = torch.device("cuda")
    model = Gpt(flags).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1, fused=True)
    batches = torch.randint(flags.vocabulary, (4, flags.batch, flags.context + 1), device=device)

    def loss_of(tokens: Tensor) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, enabled=flags.dtype == "bf16"):
            return model(tokens)

    if flags.mode != "eager":
        loss_of = torch.compile(loss_of, mode=None if flags.mode == "compile" else flags.mode)

    def step(index: int) -> Tensor:
        loss = loss_of(batches[index % 4])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach().clone()

    result = {
        "peer": f"torch-{flags.mode}",
        "version": torch.__version__,
        **language_model.measure(flags, start, step, torch.cuda.synchronize),
        "peak_bytes": torch.cuda.max_memory_allocated(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
