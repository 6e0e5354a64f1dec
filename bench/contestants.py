"""The contestants: each is a command that runs a job directory and prints one JSON object."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

PEERS = Path(__file__).parent / "peers"
TIMEOUT_S = 1800
PYTHON = os.environ.get("WEFT_PEERS_PYTHON", "python3")


@dataclass(frozen=True)
class Contestant:
    name: str
    command: tuple[str | Path, ...]  # the job directory is added

    def run(self, directory: Path) -> dict:
        """Returns the object that it printed, or {"error": one line}."""
        try:
            # Without the kernel cache of earlier runs, so that every start is a cold one.
            done = subprocess.run([*self.command, directory], capture_output=True, text=True, timeout=TIMEOUT_S,
                                  env=os.environ | {"WEFT_CACHE": "0"})
        except subprocess.TimeoutExpired:
            return {"error": f"took longer than {TIMEOUT_S} s"}
        if done.returncode != 0:
            return {"error": (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]}
        return {"contestant": self.name, **json.loads(done.stdout.splitlines()[-1])}


def weft(build: Path) -> Contestant:
    return Contestant("weft", (build / "bin/weft", "train", "text", "--json", "--job"))


def importable_peers(say) -> list[Contestant]:
    python = PYTHON
    torch, jax = PEERS / "gpt_torch.py", PEERS / "gpt_jax.py"
    peers = []
    for modules, name, command in (
        ("torch, safetensors", "torch eager", (python, torch, "--mode", "eager", "--job")),
        ("torch._inductor, safetensors", "torch compile", (python, torch, "--mode", "compile", "--job")),
        ("jax, optax, safetensors", "jax jit", (python, jax, "--job")),
    ):
        if subprocess.run([python, "-c", f"import {modules}"], capture_output=True).returncode == 0:
            peers.append(Contestant(name, command))
        else:
            say(f"{name}: left out, {python} cannot import {modules}")
    return peers
