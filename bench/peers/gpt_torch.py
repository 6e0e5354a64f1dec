"""The byte-level GPT in PyTorch, eager or compiled. Prints one JSON object."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from job import Config, job_parser, limit_threads, read_config, run_job
from mkl import open_avx512

MKL = open_avx512()  # before torch, which loads MKL

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from torch import Tensor, nn  # noqa: E402


class Attention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads = config.heads
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.proj = nn.Linear(config.width, config.width)

    def forward(self, x: Tensor) -> Tensor:
        batch, context, width = x.shape
        heads = self.qkv(x).view(batch, context, 3, self.heads, width // self.heads)
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.proj(mixed.transpose(1, 2).reshape(batch, context, width))


class Mlp(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.up = nn.Linear(config.width, 4 * config.width)
        self.down = nn.Linear(4 * config.width, config.width)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.gelu(self.up(x), approximate="tanh"))


class Block(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(config.width)
        self.attention = Attention(config)
        self.norm2 = nn.LayerNorm(config.width)
        self.mlp = Mlp(config)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Gpt(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.embed = nn.Embedding(config.vocab, config.width)
        self.position = nn.Embedding(config.context, config.width)
        self.blocks = nn.Sequential(*(Block(config) for _ in range(config.layers)))
        self.norm = nn.LayerNorm(config.width)
        self.head = None if config.tied else nn.Linear(config.width, config.vocab, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens[:, :-1]) + self.position.weight
        logits = F.linear(self.norm(self.blocks(x)), (self.head or self.embed).weight)
        wide = logits.flatten(0, 1).to(self.embed.weight.dtype)
        return F.cross_entropy(wide, tokens[:, 1:].flatten())


def load_model(directory: Path, config: Config) -> Gpt:
    with torch.device("meta"):
        model = Gpt(config).to(torch.float64 if config.dtype == "f64" else torch.float32)
    model.to_empty(device="cpu").load_state_dict(load_file(directory / "init.safetensors"))
    return model


def make_optimizer(model: Gpt, config: Config) -> torch.optim.AdamW:
    matrices = [parameter for parameter in model.parameters() if parameter.ndim >= 2]
    vectors = [parameter for parameter in model.parameters() if parameter.ndim < 2]
    groups = [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(
        groups, betas=tuple(config.betas), eps=config.eps, weight_decay=config.weight_decay, fused=True
    )


def main() -> None:
    parser = job_parser(__doc__)
    parser.add_argument("--mode", choices=("eager", "compile"), default="eager")
    flags = parser.parse_args()
    config = read_config(flags.job)
    limit_threads(config.threads)
    torch.set_num_threads(config.threads)
    model = load_model(flags.job, config)
    optimizer = make_optimizer(model, config)
    parameters = list(model.parameters())
    batches = load_file(flags.job / "batches.safetensors")["tokens"].long()

    def loss_of(tokens: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=config.dtype == "bf16"):
            return model(tokens)

    if flags.mode == "compile":
        loss_of = torch.compile(loss_of)

    def step(index: int) -> float:
        for group in optimizer.param_groups:
            group["lr"] = config.lr[index]
        loss = loss_of(batches[index])
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, config.clip, foreach=True)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.item()

    with tempfile.TemporaryDirectory() as cache:
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", cache)  # compile from scratch, unless the cache of the last run is given
        run_job(f"torch-{flags.mode}", torch.__version__, config, step, {"mkl": MKL})


if __name__ == "__main__":
    main()
