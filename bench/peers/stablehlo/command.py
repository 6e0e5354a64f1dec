"""Runs the command weft."""

from __future__ import annotations

import subprocess
from pathlib import Path

TIMEOUT_S = 120


def call(*command: str | Path) -> tuple[str, str | None]:
    """Returns what it printed, and what is wrong with it."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return "", f"takes longer than {TIMEOUT_S} s"
    if done.returncode == 0:
        return done.stdout, None
    return "", (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1].replace("error: ", "")
