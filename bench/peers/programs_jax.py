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


def quasi_separable_factor(steps=2000, size=3):
    """jax-ml/jax#36799: the Cholesky factor of a quasi-separable matrix, as a scan whose carry is a small matrix of f64."""
    jax.config.update("jax_enable_x64", True)

    def factor(diagonal, p, q, transition):
        def step(carry, row):
            d, p, q, a = row
            pivot = jnp.sqrt(d - p @ carry @ p)
            moved = carry @ a.T
            w = (q - p @ moved) / pivot
            return a @ moved + jnp.outer(w, w), (pivot, w)

        return jax.lax.scan(step, jnp.zeros((size, size)), (diagonal, p, q, transition))[1]

    transition = 0.5 * np.eye(size) + 0.05 * normal(steps, size, size)
    return factor, (2.5 + 0.1 * normal(steps).astype(np.float64), *(0.1 * normal(steps, size).astype(np.float64) for _ in range(2)), transition)


def orbits_gradient(steps=2800, planets=3):
    """kemasuda/jnkepler#18: a gradient through a scan of planets on orbits around a star, with Newton's method in a custom JVP and checkpoints."""
    jax.config.update("jax_enable_x64", True)

    @jax.custom_jvp
    def anomaly(e_cos, e_sin, mean):
        def newton(_, x):
            return x - (x - e_cos * jnp.sin(x) + e_sin * (1 - jnp.cos(x)) - mean) / (1 - e_cos * jnp.cos(x) + e_sin * jnp.sin(x))

        return jax.lax.fori_loop(0, 4, newton, mean)

    @anomaly.defjvp
    def _(primals, tangents):
        e_cos, e_sin, mean = primals
        x = anomaly(*primals)
        change = tangents[2] + jnp.sin(x) * tangents[0] - (1 - jnp.cos(x)) * tangents[1]
        return x, change / (1 - e_cos * jnp.cos(x) + e_sin * jnp.sin(x))

    def drift(x, v, mu, dt):
        r = jnp.sqrt(jnp.sum(x * x, -1))
        a = 1 / (2 / r - jnp.sum(v * v, -1) / mu)
        n = jnp.sqrt(mu / a) / a
        e_cos, e_sin = 1 - r / a, jnp.sum(x * v, -1) / (n * a * a)
        d = anomaly(e_cos, e_sin, n * dt)
        s, c = jnp.sin(d), jnp.cos(d)
        f, g = a / r * (c - 1) + 1, dt + (s - d) / n
        near = 1 - e_cos * c + e_sin * s
        df, dg = -a / (r * near) * n * s, (c - 1) / near + 1
        return f[:, None] * x + g[:, None] * v, df[:, None] * x + dg[:, None] * v

    def kick(x, v, masses, dt):
        apart = x[:, None] - x
        squared = jnp.sum(apart * apart, -1) + jnp.eye(planets)
        return v - dt * jnp.sum(masses[:, None] * apart / squared[..., None] ** 1.5, 1)

    def loss(x, v, masses):
        @jax.checkpoint
        def step(state, _):
            x, v = drift(*state, jnp.cumsum(masses) + 1, 0.05)
            v = kick(x, v, masses, 0.05)
            return (x, v), x[:, 0]

        return jnp.sum(jax.lax.scan(step, (x, v), length=steps)[1])

    x = np.stack([np.arange(1.0, planets + 1), np.zeros(planets), 0.01 * np.arange(planets)], 1)
    v = np.stack([np.zeros(planets), np.arange(1, planets + 1) ** -0.5, np.zeros(planets)], 1)
    return jax.grad(loss, argnums=(0, 1, 2)), (x, v, 1e-4 * np.ones(planets))


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


PROGRAMS = {f.__name__.replace("_", "-"): f
            for f in (scan_gradient, squared_differences, transposed_convolution_gradient, convolution_gradient, quasi_separable_factor,
                      orbits_gradient)}


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
