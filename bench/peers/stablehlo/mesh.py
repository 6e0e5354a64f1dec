"""Exports programs of JAX with shardings over eight devices, runs each with weft and compares with JAX on one device.

Also compares what each device sends, if rings carry all collectives, with XLA's compiled program. Prints a line for each program. Exits
with 1 if a result differs or if weft sends more than XLA.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from command import call  # noqa: E402
from meshes import DEVICES, Case, cases  # noqa: E402
from meshes.sent import sent_by_xla  # noqa: E402
from program import Program, results_of  # noqa: E402


@dataclass
class Sent:
    collectives: int
    bytes: float


@dataclass
class Outcome:
    case: Case
    wrong: str | None = None
    weft: Sent | None = None
    xla: Sent | None = None

    @property
    def is_more(self) -> bool:
        return bool(self.weft and self.xla and self.weft.bytes > self.xla.bytes * 1.0005)

    def numbers(self) -> dict:
        """Returns what a machine reads."""
        sent = {name: vars(value) if value else None for name, value in (("weft", self.weft), ("xla", self.xla))}
        return {"program": self.case.program, "layout": self.case.layout, "wrong": self.wrong} | sent

    def line(self) -> str:
        text = f"{self.case.program:15} {self.case.layout:20}"
        for sent in (self.weft, self.xla):
            text += f" {sent.collectives:4} {1e-6 * sent.bytes:9.4f}" if sent else 15 * " "
        if self.weft and self.xla and self.xla.bytes:
            text += f" {self.weft.bytes / self.xla.bytes:7.3f}"
        else:
            text += 8 * " "
        return f"{text}  {self.wrong or ('more than XLA' if self.is_more else 'ok')}"


def run(weft: Path, case: Case, folder: Path) -> Outcome:
    outcome = Outcome(case)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lowered = case.lowered()
        text = lowered.as_text()
        results = results_of(Program(case.name, case.reference, case.inputs), text)
        compiled = lowered.compile().as_text()
        outcome.xla = Sent(*sent_by_xla(compiled))
    except Exception as failure:  # noqa: BLE001: whatever JAX refuses is told with the program's name
        outcome.wrong = f"not exported by JAX: {str(failure).splitlines()[0]}"
        return outcome
    (folder / "program.mlir").write_text(text)
    (folder / "program.hlo").write_text(compiled)
    np.savez(folder / "inputs.npz", *(np.asarray(leaf) for leaf in jax.tree.leaves(case.inputs)))
    printed, outcome.wrong = call(weft, "run", folder / "program.mlir", "--devices", str(DEVICES), "--input", folder / "inputs.npz",
                                  "--output", folder / "results", "--json")
    if outcome.wrong:
        return outcome
    report = json.loads(printed)
    outcome.weft = Sent(report["collectives"], report["sent_bytes"])
    for i, result in enumerate(results):
        if wrong := result.difference(np.load(folder / "results" / f"result{i}.npy")):
            outcome.wrong = f"result {i}: {wrong}"
            break
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", type=Path, required=True, metavar="PROGRAM", help="build/release/bin/weft")
    parser.add_argument("--size", choices=("tiny", "bench"), default="bench", help="size of the models")
    parser.add_argument("--only", metavar="TEXT", default="", help="run only programs whose names (PROGRAM-LAYOUT) contain TEXT")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run every N-th program")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the files in DIR")
    parser.add_argument("--json", action="store_true", help="print one JSON list, and nothing else")
    flags = parser.parse_args()
    say = (lambda *text, **options: None) if flags.json else print
    chosen = [case for case in cases(flags.size) if flags.only in case.name][::flags.every]
    if not chosen:
        sys.exit(f"error: no program has {flags.only!r} in its name")
    say(f"{'program':15} {'layout':20} {'weft':>4} {'MB':>9} {'XLA':>4} {'MB':>9} {'ratio':>7}")
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="weft-mesh-") as folder:
        for case in chosen:
            outcomes.append(run(flags.weft, case, (flags.keep or Path(folder)) / case.name))
            say(outcomes[-1].line(), flush=True)
            jax.clear_caches()
    right = sum(outcome.wrong is None for outcome in outcomes)
    more = sum(outcome.is_more for outcome in outcomes)
    say(f"{right} of {len(outcomes)} programs agree with JAX on one device; {more} send more than XLA's")
    if flags.json:
        print(json.dumps([outcome.numbers() for outcome in outcomes]))
    sys.exit(1 if right < len(outcomes) or more or not outcomes else 0)


if __name__ == "__main__":
    main()
