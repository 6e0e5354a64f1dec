"""Shared by captioner_torch.py and captioner_jax.py: the captioner's sizes, its random data and the timing of a peer."""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np

START, END, PAD, IGNORED = 1, 2, 0, -100


@dataclass(frozen=True)
class Sizes:
    """The sizes of the model: fields of the config that `weft lab captioner --json` prints; the defaults are those of --size full."""

    encoder_layers: int = 12
    decoder_layers: int = 12
    width: int = 768
    heads: int = 12
    image: int = 224
    patch: int = 16
    vocabulary: int = 1024
    context: int = 256

    @property
    def places(self) -> int:
        return (self.image // self.patch) ** 2 + 1

    @staticmethod
    def of(config: str) -> Sizes:
        given = json.loads(config)
        return Sizes(**{field.name: given[field.name] for field in fields(Sizes)})


def parse_flags(description: str | None, modes: tuple[str, ...], devices: tuple[str, ...] = ("cpu",)) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--config", type=Sizes.of, default=Sizes(), dest="sizes", help="the sizes, as one JSON object")
    parser.add_argument("--mode", choices=modes, default=modes[0])
    parser.add_argument("--device", choices=devices, default=devices[0])
    parser.add_argument("--dtype", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--align", type=int, default=0,
                        help="pad to the longest caption of the batch, rounded up to a multiple of this; 0: to the context")
    parser.add_argument("--lengths", type=lambda text: [int(n) for n in text.split(",")], default=[],
                        help="padded caption length of each step, instead of random ones: 32,64,...")
    return parser.parse_args()


def caption_length(random: np.random.Generator, context: int) -> int:
    """Draws a length that includes the end token: 5 to 31 words with probability 0.9, 33 to 63 with 0.09, 65 to 255 with 0.01."""
    kind = random.random()
    low, high = (5, 31) if kind < 0.9 else (33, 63) if kind < 0.99 else (65, 255)
    return min(int(random.integers(low, high, endpoint=True)) + 1, context)


def batches(sizes: Sizes, batch: int, align: int, given: list[int]) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Returns images [batch, 3, image, image], and tokens and labels [batch, length]."""
    random = np.random.default_rng(0)
    for step in itertools.count():
        lengths = [caption_length(random, sizes.context) for _ in range(batch)]
        length = -(-max(lengths) // align) * align if align else sizes.context
        if given:
            length = given[step % len(given)]
            lengths = [min(n, length) for n in lengths[1:]] + [length]
        tokens = np.full((batch, length), PAD, np.int32)
        labels = np.full((batch, length), IGNORED, np.int32)
        for row, count in enumerate(lengths):
            caption = np.append(random.integers(1, sizes.vocabulary, count - 1), END)
            labels[row, :count] = caption
            tokens[row, :count] = np.append(START, caption[:-1])
        yield random.standard_normal((batch, 3, sizes.image, sizes.image), np.float32), tokens, labels


def measure(peer: str, version: str, flags: argparse.Namespace, step: Callable[..., object], wait: Callable[[object], object],
            place: Callable[..., tuple] = lambda *batch: batch) -> None:
    """Times step(*place(images, tokens, labels)), uses `wait` to wait for its result, and prints the JSON object. `place` may move a batch
    to the device. The batches are made and placed before the time begins."""
    source = batches(flags.sizes, flags.batch, flags.align, flags.lengths)
    first, later = ([place(*batch) for batch in itertools.islice(source, count)] for count in (flags.warm_up, flags.steps))
    result = None
    start = time.perf_counter()
    for batch in first:
        result = step(*batch)
    wait(result)
    first_steps_s = time.perf_counter() - start
    start = time.perf_counter()
    for batch in later:
        result = step(*batch)
    wait(result)
    steps_per_s = flags.steps / (time.perf_counter() - start)
    print(json.dumps({"peer": peer, "version": version, "steps_per_s": steps_per_s, "first_steps_s": first_steps_s}))
