"""Measures how long JAX takes to run programs that compute next to nothing, on the platform that JAX_PLATFORMS names.

Run it in turns, with JAX_PLATFORMS as the only change:
  PJRT_NAMES_AND_LIBRARY_PATHS=weft:build/release/lib/libweft_pjrt.so JAX_PLATFORMS=weft python bench/peers/dispatch_jax.py
  JAX_PLATFORMS=cpu python bench/peers/dispatch_jax.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

ROUNDS = 15


def best_us(run: Callable[[], object], times: int) -> float:
    """Returns the microseconds that one call takes in the fastest of several rounds."""
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(times):
            run()
        rounds.append((time.perf_counter() - start) / times)
    return min(rounds) * 1e6


def main() -> None:
    increment = jax.jit(lambda x: x + 1)
    increment_all = jax.jit(lambda arrays: [x + 1 for x in arrays])
    one = jnp.ones(())
    many = [jnp.full((4,), float(i)) for i in range(200)]

    def chain() -> None:
        x = one
        for _ in range(100):
            x = increment(x)
        x.block_until_ready()

    for _ in range(10):  # compiles, and lets the platform learn how long the programs take
        chain()
        jax.block_until_ready(increment_all(many))
    print(f"{jax.devices()[0]}, microseconds:")
    print(f"  x + 1, waited for    {best_us(lambda: increment(one).block_until_ready(), 300):8.1f}")
    print(f"  x + 1, one of 100    {best_us(chain, 5) / 100:8.1f}")
    print(f"  x + 1, read by NumPy {best_us(lambda: np.asarray(increment(one)), 300):8.1f}")
    print(f"  200 arrays + 1       {best_us(lambda: jax.block_until_ready(increment_all(many)), 10):8.1f}")


if __name__ == "__main__":
    main()
