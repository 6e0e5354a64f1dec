"""The captioner in PyTorch: a ViT with a GPT-2 and cross-attention on random captions, eager or compiled. Prints one JSON object."""

from __future__ import annotations

import os
import tempfile

from captioner_data import IGNORED, Sizes, measure, parse_flags
from job import limit_threads
from mkl import open_avx512

open_avx512()  # before torch, which loads MKL

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402


def heads_of(x: Tensor, parts: int, heads: int) -> Tensor:
    batch, time, width = x.shape
    return x.view(batch, time, parts, heads, width // parts // heads).permute(2, 0, 3, 1, 4)


def joined(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


class SelfAttention(nn.Module):
    def __init__(self, sizes: Sizes, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = sizes.heads, causal
        self.qkv = nn.Linear(sizes.width, 3 * sizes.width)
        self.proj = nn.Linear(sizes.width, sizes.width)

    def forward(self, x: Tensor) -> Tensor:
        return self.proj(joined(F.scaled_dot_product_attention(*heads_of(self.qkv(x), 3, self.heads), is_causal=self.causal)))


class CrossAttention(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.heads = sizes.heads
        self.query = nn.Linear(sizes.width, sizes.width)
        self.key_value = nn.Linear(sizes.width, 2 * sizes.width)
        self.proj = nn.Linear(sizes.width, sizes.width)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        query = heads_of(self.query(x), 1, self.heads)[0]
        return self.proj(joined(F.scaled_dot_product_attention(query, *heads_of(self.key_value(memory), 2, self.heads))))


class FeedForward(nn.Module):
    def __init__(self, sizes: Sizes, approximate: str) -> None:
        super().__init__()
        self.approximate = approximate
        self.up = nn.Linear(sizes.width, 4 * sizes.width)
        self.down = nn.Linear(4 * sizes.width, sizes.width)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.gelu(self.up(x), approximate=self.approximate))


class EncoderBlock(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.norm1, self.norm2 = (nn.LayerNorm(sizes.width, eps=1e-12) for _ in range(2))
        self.attention = SelfAttention(sizes, causal=False)
        self.mlp = FeedForward(sizes, "none")

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class DecoderBlock(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(sizes.width) for _ in range(3))
        self.attention = SelfAttention(sizes, causal=True)
        self.cross = CrossAttention(sizes)
        self.mlp = FeedForward(sizes, "tanh")

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        x = x + self.cross(self.norm2(x), memory)
        return x + self.mlp(self.norm3(x))


class Captioner(nn.Module):
    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.patch_size = sizes.patch
        self.patch = nn.Linear(3 * sizes.patch**2, sizes.width)
        self.class_token = nn.Parameter(torch.zeros(1, sizes.width))
        self.places = nn.Parameter(torch.zeros(sizes.places, sizes.width))
        self.encoder = nn.ModuleList(EncoderBlock(sizes) for _ in range(sizes.encoder_layers))
        self.encoder_norm = nn.LayerNorm(sizes.width, eps=1e-12)
        self.embed = nn.Embedding(sizes.vocabulary, sizes.width)
        self.position = nn.Embedding(sizes.context, sizes.width)
        self.decoder = nn.ModuleList(DecoderBlock(sizes) for _ in range(sizes.decoder_layers))
        self.decoder_norm = nn.LayerNorm(sizes.width)
        for parameter in self.parameters():
            if parameter.ndim == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, images: Tensor, tokens: Tensor, labels: Tensor) -> Tensor:
        batch, _, image, _ = images.shape
        rows, patch = image // self.patch_size, self.patch_size
        patches = images.view(batch, 3, rows, patch, rows, patch).permute(0, 2, 4, 1, 3, 5).reshape(batch, rows**2, 3 * patch**2)
        embedded = self.patch(patches)
        x = torch.cat([self.class_token.expand(batch, 1, -1).to(embedded.dtype), embedded], 1) + self.places
        for block in self.encoder:
            x = block(x)
        memory = self.encoder_norm(x)
        x = self.embed(tokens) + self.position(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.decoder:
            x = block(x, memory)
        logits = F.linear(self.decoder_norm(x), self.embed.weight)
        return F.cross_entropy(logits.flatten(0, 1).float(), labels.flatten(), ignore_index=IGNORED)


def main() -> None:
    flags = parse_flags(__doc__, ("eager", "compile"), ("cpu", "cuda"))
    device = torch.device(flags.device)
    limit_threads(flags.threads)
    torch.set_num_threads(flags.threads)
    torch.manual_seed(0)
    model = Captioner(flags.sizes).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)

    def loss_of(images: Tensor, tokens: Tensor, labels: Tensor) -> Tensor:
        with torch.autocast(device.type, torch.bfloat16, enabled=flags.dtype == "bf16"):
            return model(images, tokens, labels)

    if flags.mode == "compile":
        loss_of = torch.compile(loss_of, fullgraph=True)

    def place(images, tokens, labels) -> tuple[Tensor, Tensor, Tensor]:
        images, tokens, labels = (torch.from_numpy(array).to(device, non_blocking=True) for array in (images, tokens, labels))
        return images, tokens.long(), labels.long()

    def step(images: Tensor, tokens: Tensor, labels: Tensor) -> Tensor:
        if flags.mode == "compile" and (flags.align or len(set(flags.lengths)) > 1):
            for tensor in (tokens, labels):
                torch._dynamo.mark_dynamic(tensor, 1)
        loss = loss_of(images, tokens, labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    with tempfile.TemporaryDirectory() as cache:
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", cache)  # compile from scratch, unless the cache of the last run is given
        measure(f"torch-{flags.mode}", torch.__version__, flags, step, lambda loss: loss.item(), place)


if __name__ == "__main__":
    main()
