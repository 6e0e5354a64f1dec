"""The small models of bench/small_models.cpp in PyTorch: whole training steps on one batch. Prints one JSON object."""

from __future__ import annotations

import argparse
import json
import time

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.middle, self.down = nn.Linear(784, 512), nn.Linear(512, 512), nn.Linear(512, 10)

    def forward(self, images: Tensor, labels: Tensor) -> Tensor:
        return F.cross_entropy(self.down(F.relu(self.middle(F.relu(self.up(images))))), labels)


class BertLayer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        batch, time, width = x.shape
        query, key, value = self.qkv(x).view(batch, time, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(batch, time, width)
        x = self.norm1(x + self.dropout(self.proj(mixed)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class Bert(nn.Module):
    def __init__(self, layers: int = 12, heads: int = 12, width: int = 192, vocabulary: int = 2048) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(512, width)
        self.norm, self.transform_norm = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(0.1)
        self.layers = nn.Sequential(*(BertLayer(width, heads) for _ in range(layers)))
        self.transform = nn.Linear(width, width)
        for embedding in (self.words, self.positions):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, words: Tensor, labels: Tensor) -> Tensor:
        x = self.dropout(self.norm(self.words(words) + self.positions.weight[: words.shape[1]]))
        x = self.transform_norm(F.gelu(self.transform(self.layers(x))))
        return F.cross_entropy(F.linear(x, self.words.weight).flatten(0, 1), labels.flatten())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=("mlp", "bert"), default="mlp")
    parser.add_argument("--mode", choices=("reduce-overhead", "eager"), default="reduce-overhead")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--warm-up", type=int, default=20)
    flags = parser.parse_args()
    torch.manual_seed(1)
    device = torch.device(flags.device)
    if flags.model == "mlp":
        model: nn.Module = Mlp().to(device)
        inputs, labels = torch.randn(64, 784, device=device), torch.randint(10, (64,), device=device)
    else:
        model = Bert().to(device)
        inputs, labels = (torch.randint(2048, (2, 32), device=device) for _ in range(2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    compiled = flags.mode != "eager"
    loss_of = torch.compile(model, mode=flags.mode, fullgraph=True) if compiled else model

    def step() -> Tensor:
        if compiled:
            torch.compiler.cudagraph_mark_step_begin()
        loss = loss_of(inputs, labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def wait() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize()

    first = time.perf_counter()
    losses = [step().item()]
    first_step_s = time.perf_counter() - first
    for _ in range(flags.warm_up):
        step()
    wait()
    start = time.perf_counter()
    for _ in range(flags.steps):
        loss = step()
    calls = time.perf_counter() - start
    losses.append(loss.item())
    wait()
    seconds = time.perf_counter() - start
    print(json.dumps({
        "peer": f"torch-{flags.mode}",
        "version": torch.__version__,
        "model": flags.model,
        "step_us": 1e6 * seconds / flags.steps,
        "calls_us": 1e6 * calls / flags.steps,
        "first_step_s": first_step_s,
        "losses": losses,
    }))


if __name__ == "__main__":
    main()
