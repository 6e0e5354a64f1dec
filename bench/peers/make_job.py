"""Makes a job directory from a text file, to run the peers without weft."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

SHAPES = {
    "tiny": {"layers": 2, "width": 32, "heads": 2, "context": 32, "batch": 2},
    "small": {"layers": 2, "width": 64, "heads": 4, "context": 64, "batch": 4},
    "default": {"layers": 6, "width": 384, "heads": 6, "context": 256, "batch": 16},
}
VOCAB = 256


def initial_weights(config: dict, generator: np.random.Generator) -> dict[str, np.ndarray]:
    """Makes GPT-2's initial weights: normal(0.02), scaled down for weights that add to the residual stream; biases are 0."""
    dtype = np.float64 if config["dtype"] == "f64" else np.float32
    width, layers = config["width"], config["layers"]
    weights: dict[str, np.ndarray] = {}

    def matrix(name: str, rows: int, columns: int, std: float = 0.02) -> None:
        weights[f"{name}.weight"] = (std * generator.standard_normal((rows, columns))).astype(dtype)

    def linear(name: str, rows: int, columns: int, std: float = 0.02) -> None:
        matrix(name, rows, columns, std)
        weights[f"{name}.bias"] = np.zeros(rows, dtype)

    def norm(name: str) -> None:
        weights[f"{name}.weight"] = np.ones(width, dtype)
        weights[f"{name}.bias"] = np.zeros(width, dtype)

    residual_std = 0.02 / math.sqrt(2 * layers)
    matrix("embed", VOCAB, width)
    matrix("position", config["context"], width)
    for block in (f"blocks.{index}" for index in range(layers)):
        norm(f"{block}.norm1")
        linear(f"{block}.attention.qkv", 3 * width, width)
        linear(f"{block}.attention.proj", width, width, residual_std)
        norm(f"{block}.norm2")
        linear(f"{block}.mlp.up", 4 * width, width)
        linear(f"{block}.mlp.down", width, 4 * width, residual_std)
    norm("norm")
    if not config["tied"]:
        matrix("head", VOCAB, width)
    return weights


def sample_batches(text: bytes, config: dict, generator: np.random.Generator) -> np.ndarray:
    """Draws windows of context + 1 bytes at random positions: [steps, batch, context + 1]."""
    length = config["context"] + 1
    if len(text) < length:
        raise SystemExit(f"error: the text has {len(text)} bytes, a window needs {length}")
    windows = np.lib.stride_tricks.sliding_window_view(np.frombuffer(text, np.uint8), length)
    places = generator.integers(len(windows), size=(config["steps"], config["batch"]))
    return windows[places].astype(np.int32)


def cosine_schedule(peak: float, steps: int, warm_up: int) -> list[float]:
    """Returns learning rates: a linear rise to the peak, then a cosine decay to a tenth of it."""

    def at(step: int) -> float:
        if step < warm_up:
            return peak * (step + 1) / warm_up
        progress = (step - warm_up) / max(1, steps - warm_up)
        return peak * (0.1 + 0.45 * (1 + math.cos(math.pi * progress)))

    return [at(step) for step in range(steps)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--config", choices=SHAPES, default="default")
    for name in ("layers", "width", "heads", "context", "batch"):
        parser.add_argument(f"--{name}", type=int, help="overrides the config")
    parser.add_argument("--tied", action="store_true")
    parser.add_argument("--dtype", choices=("f32", "f64", "bf16"), default="f32")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--lr", type=float, default=1e-3, help="peak of the schedule")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    flags = parser.parse_args()

    sizes = {name: getattr(flags, name) or value for name, value in SHAPES[flags.config].items()}
    config = sizes | {
        "vocab": VOCAB,
        "tied": flags.tied,
        "steps": flags.steps,
        "lr": cosine_schedule(flags.lr, flags.steps, warm_up=max(1, flags.steps // 10)),
        "betas": [0.9, 0.95],
        "eps": 1e-8,
        "weight_decay": 0.1,
        "clip": 1.0,
        "dtype": flags.dtype,
        "threads": flags.threads,
    }
    generator = np.random.default_rng(flags.seed)
    flags.directory.mkdir(parents=True, exist_ok=True)
    save_file(initial_weights(config, generator), flags.directory / "init.safetensors")
    save_file({"tokens": sample_batches(flags.text.read_bytes(), config, generator)},
              flags.directory / "batches.safetensors")
    (flags.directory / "config.json").write_text(json.dumps(config, indent=2) + "\n")


if __name__ == "__main__":
    main()
