"""Twelve programs for a mesh of eight devices, each in six layouts."""

from collections.abc import Iterator

from .case import DEVICES, Case
from .manual import manual_cases
from .training import training_cases

__all__ = ["DEVICES", "Case", "cases"]


def cases(size: str) -> Iterator[Case]:
    yield from training_cases(size)
    yield from manual_cases(size)
