"""What the peers of bench/language_model.cpp share: their flags, and how their steps are timed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import SupportsFloat


def parse(description: str | None, choices: dict[str, Sequence[str]]) -> argparse.Namespace:
    """Parses the sizes of the model and of the run, and `choices`: flags with their values, of which the first one is the default."""
    parser = argparse.ArgumentParser(description=description)
    for name, values in {"dtype": ("bf16", "f32"), **choices}.items():
        parser.add_argument(f"--{name}", choices=values, default=values[0])
    sizes = dict(layers=12, width=768, heads=12, context=1024, vocabulary=50257, batch=32, steps=20, warm_up=4)
    for name, value in sizes.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=value)
    return parser.parse_args()


def measure(
    flags: argparse.Namespace, start: float, step: Callable[[int], SupportsFloat], wait: Callable[[], None]
) -> dict[str, object]:
    """Takes steps and returns their times and losses. `step` takes the step with a number and returns its loss, for which only float() needs
    to wait; `wait` waits for the device. `start` is the time at which the program began."""
    first = time.perf_counter()
    losses = [float(step(0))]
    first_end = time.perf_counter()
    losses += [float(step(index)) for index in range(1, flags.warm_up)]
    wait()
    timed = time.perf_counter()
    later = [step(flags.warm_up + index) for index in range(flags.steps)]
    host = time.perf_counter() - timed
    wait()
    seconds = time.perf_counter() - timed
    return {
        "first_step_s": first_end - first,
        "start_to_first_step_s": first_end - start,
        "step_ms": 1e3 * seconds / flags.steps,
        "host_ms": 1e3 * host / flags.steps,
        "tokens_per_s": flags.steps * flags.batch * flags.context / seconds,
        "losses": losses + [float(loss) for loss in later],
    }
