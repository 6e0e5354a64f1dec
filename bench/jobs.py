"""The jobs that are measured. weft writes each as a directory in the format that bench/peers/README.md describes."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

TEXT = Path("/usr/share/common-licenses/GPL-3")


@dataclass(frozen=True)
class Job:
    name: str
    compares: str  # "loss" or "speed"
    dtype: str
    steps: int
    rounds: int
    shape: tuple[str, ...] = ()  # options of `weft train text`; empty: its default config

    def write(self, build: Path, directory: Path, quick: bool) -> Path:
        steps = min(self.steps, 5) if quick else self.steps
        command = [build / "bin/weft", "train", "text", "--file", TEXT, *self.shape, "--dtype", self.dtype,
                   "--steps", str(steps), "--warmup", str(max(1, steps // 10)), "--write-job", directory]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return directory

    def describe(self, directory: Path) -> str:
        config = json.loads((directory / "config.json").read_text())
        sizes = ", ".join(f"{key} {config[key]}" for key in ("layers", "width", "heads", "context", "batch"))
        return f"{sizes}, {config['dtype']}, {config['steps']} steps, {config['threads']} threads"


SMALL = ("--layers", "2", "--width", "64", "--heads", "4", "--context", "64", "--batch", "4")

JOBS = {
    job.name: job
    for job in (
        Job("loss-f64", "loss", "f64", 100, 1, SMALL),
        Job("loss-f32", "loss", "f32", 100, 1, SMALL),
        Job("default-f32", "speed", "f32", 12, 2),
        Job("default-bf16", "speed", "bf16", 12, 2),
        Job("small-f32", "speed", "f32", 200, 3, SMALL),
    )
}

# Long enough that steps beside other programs encounter every effect of these.
BUSY = Job("busy", "speed", "f32", 400, 1, SMALL)
