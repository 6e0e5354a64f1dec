"""Runs the peers on jobs, one after another, and prints a table (or one JSON object).

The peers' python is $WEFT_PEERS_PYTHON, or python3. A peer whose packages it cannot import is skipped, with a message.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PYTHON = os.environ.get("WEFT_PEERS_PYTHON", "python3")


@dataclass(frozen=True)
class Peer:
    name: str
    command: tuple[str, ...]
    packages: tuple[str, ...]

    def missing(self) -> str | None:
        """Returns the reason why the peer cannot run, or None."""
        program = f"import {', '.join(self.packages)}"
        try:
            answer = subprocess.run([PYTHON, "-c", program], capture_output=True, text=True)
        except OSError as error:
            return str(error)
        return None if answer.returncode == 0 else answer.stderr.strip().splitlines()[-1]

    def run(self, job: Path) -> dict:
        answer = subprocess.run([PYTHON, HERE / self.command[0], *self.command[1:], "--job", job],
                                stdout=subprocess.PIPE, text=True)
        if answer.returncode:
            raise SystemExit(f"error: {self.name} failed on {job} with exit code {answer.returncode}")
        return json.loads(answer.stdout)


PEERS = (
    Peer("torch-eager", ("gpt_torch.py", "--mode", "eager"), ("torch", "safetensors.torch")),
    Peer("torch-compile", ("gpt_torch.py", "--mode", "compile"), ("torch", "safetensors.torch")),
    Peer("jax-jit", ("gpt_jax.py",), ("jax", "optax", "safetensors.numpy")),
)


def largest_difference(losses: list[float], reference: list[float]) -> float:
    return max(abs(ours - theirs) / abs(theirs) for ours, theirs in zip(losses, reference))


def table_row(job: Path, result: dict, reference: dict) -> str:
    return (
        f"{job.name:16} {result['peer']:14} {result['step_ms_p50']:10.2f} {min(result['step_ms']):10.2f} "
        f"{result['tokens_per_s']:10.0f} {result['first_step_s']:8.2f} {result['process_start_to_first_step_s']:8.2f} "
        f"{result['peak_rss_bytes'] / 2**20:9.0f} {largest_difference(result['losses'], reference['losses']):10.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, nargs="+", required=True, metavar="DIR")
    parser.add_argument("--peer", choices=[peer.name for peer in PEERS], nargs="+", help="run only these")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each peer, in turns; the fastest median counts")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    flags = parser.parse_args()

    skipped = {}
    available = []
    for peer in PEERS:
        if flags.peer and peer.name not in flags.peer:
            continue
        if reason := peer.missing():
            skipped[peer.name] = reason
            print(f"skipped {peer.name}: {reason}", file=sys.stderr)
        else:
            available.append(peer)

    best: dict[tuple[Path, str], dict] = {}
    for _ in range(flags.repeat):
        for job in flags.job:
            for peer in available:
                result = peer.run(job)
                known = best.setdefault((job, peer.name), result)
                if result["step_ms_p50"] < known["step_ms_p50"]:
                    best[job, peer.name] = result

    if flags.json:
        results = [{"job": str(job)} | result for (job, _), result in best.items()]
        print(json.dumps({"results": results, "skipped": skipped}))
        return
    if not best:
        return
    print(f"{'job':16} {'peer':14} {'p50 ms':>10} {'best ms':>10} {'tokens/s':>10} {'first s':>8} {'start s':>8} "
          f"{'peak MiB':>9} {'loss diff':>10}")
    for (job, _), result in best.items():
        reference = next(other for (other_job, _), other in best.items() if other_job == job)
        print(table_row(job, result, reference))


if __name__ == "__main__":
    main()
