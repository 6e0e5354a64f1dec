"""Programs on which XLA's CPU backend is known to be slow, from its public issues: exports them for weft, or runs them with jax.jit."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np


def scan_gradient(steps=600, carries=60):
    """jax-ml/jax#40150: a gradient through lax.scan whose carry has many scalar leaves."""

    def loss(coupling, inputs):
        def step(states, observed):
            new = {}
            for i in range(carries):
                precision = jnp.exp(-coupling * states[(i - 1) % carries])
                new[i] = states[i] + 0.1 * precision / (1 + precision) * (observed - states[i])
            return new, new[0]

        _, trajectory = jax.lax.scan(step, {i: jnp.float32(i / carries) for i in range(carries)}, inputs)
        return jnp.sum(trajectory**2)

    return jax.grad(loss), (np.float32(0.5), normal(steps))


def squared_differences(size=256):
    """jax-ml/jax#37465: the sum of squared differences between neighbours along each axis of a volume."""

    def penalty(volume):
        return sum(jnp.sum(jnp.diff(volume, axis=axis) ** 2) for axis in range(3))

    return penalty, (normal(size, size, size),)


def transposed_convolution_gradient():
    """openxla/xla#34273: the gradient with respect to the kernel of a transposed convolution with stride 2, in bf16."""

    def loss(kernel, x):
        y = jax.lax.conv_general_dilated(x, kernel, (1, 1, 1), [(1, 2)] * 3, lhs_dilation=(2, 2, 2),
                                         dimension_numbers=("NCDHW", "OIDHW", "NCDHW"))
        return jnp.mean(y * y)

    return jax.grad(loss), (normal(1, 64, 3, 3, 3).astype(jnp.bfloat16), normal(1, 64, 64, 64, 32).astype(jnp.bfloat16))


def convolution_gradient(size=64, channels=32):
    """Both gradients of a three-dimensional convolution with the features as the last dimension."""

    def loss(x, kernel):
        y = jax.lax.conv_general_dilated(x, kernel, (1, 1, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))
        return jnp.sum(y * y)

    return jax.grad(loss, argnums=(0, 1)), (normal(1, size, size, size, channels), 0.05 * normal(3, 3, 3, channels, channels))


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


PROGRAMS = {f.__name__.replace("_", "-"): f
            for f in (scan_gradient, squared_differences, transposed_convolution_gradient, convolution_gradient)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=PROGRAMS)
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the program and its inputs for weft run; do not run anything")
    parser.add_argument("--repeat", type=int, default=5)
    flags = parser.parse_args()
    function, inputs = PROGRAMS[flags.name]()
    lowered = jax.jit(function, keep_unused=True).lower(*inputs)
    if flags.write:
        (flags.write / f"{flags.name}.mlir").write_text(lowered.as_text())
        for i, x in enumerate(inputs):
            np.save(flags.write / f"{flags.name}.{i}.npy", x)
        return
    start = time.perf_counter()
    compiled = lowered.compile()
    compile_ms = 1e3 * (time.perf_counter() - start)
    inputs = jax.device_put(inputs)
    run_ms = []
    for _ in range(flags.repeat):
        start = time.perf_counter()
        jax.block_until_ready(compiled(*inputs))
        run_ms.append(1e3 * (time.perf_counter() - start))
    print(json.dumps({"compile_ms": compile_ms, "run_ms": run_ms}))


if __name__ == "__main__":
    main()
