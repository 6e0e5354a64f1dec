"""Runs JAX functions on eight devices of weft's plugin, unchanged, and compares them with eight devices of JAX's own CPU backend.

Exits with 1 if a result or a sharding differs, or if a function is refused.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

DEVICES = 8
TOLERANCE = 2e-5  # sums over devices are added in another order

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--plugin", type=Path, required=True, metavar="LIBRARY", help="build/release/lib/libweft_pjrt.so")
parser.add_argument("--only", metavar="TEXT", default="", help="run only functions whose names contain TEXT")
FLAGS = parser.parse_args()
os.environ["WEFT_JAX_LIBRARY"] = str(FLAGS.plugin.resolve())
os.environ["JAX_PLATFORMS"] = "weft,cpu"
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import weft_jax  # noqa: E402
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

jax.config.update("jax_num_cpu_devices", DEVICES)
weft_jax.initialize()

GENERATOR = np.random.default_rng(0)
A = GENERATOR.standard_normal((8, 4)).astype(np.float32)
B = GENERATOR.standard_normal((4, 6)).astype(np.float32)
FUNCTIONS: dict[str, Callable] = {}


def function(f: Callable) -> Callable:
    """Adds a function of a mesh, which returns arrays."""
    FUNCTIONS[f.__name__] = f
    return f


def put(x: np.ndarray, mesh: Mesh, *spec: str | tuple[str, ...] | None) -> jax.Array:
    return jax.device_put(x, NamedSharding(mesh, P(*spec)))


def mapped(mesh: Mesh, f: Callable, ins: P, outs: P) -> Callable:
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=ins, out_specs=outs))


@function
def psum(mesh):
    return mapped(mesh, lambda a: jax.lax.psum(a, "x"), P("x", "y"), P(None, "y"))(A)


@function
def shard_map_without_jit(mesh):
    return jax.shard_map(lambda a: a * jax.lax.axis_index("x") + jax.lax.pmean(a, "y"), mesh=mesh, in_specs=P("x", "y"),
                         out_specs=P("x", "y"))(A)  # fmt: skip


@function
def ppermute(mesh):
    return mapped(mesh, lambda a: jax.lax.ppermute(a, "x", [(i, (i + 1) % 4) for i in range(4)]), P("x"), P("x"))(A)


@function
def all_gather(mesh):
    return mapped(mesh, lambda a: jax.lax.all_gather(a, "x", tiled=True) * 2, P("x"), P("x"))(A)


@function
def psum_scatter(mesh):
    f = partial(jax.lax.psum_scatter, axis_name="y", scatter_dimension=1, tiled=True)
    return mapped(mesh, f, P("x", None), P("x", "y"))(A)


@function
def all_to_all(mesh):
    return mapped(mesh, lambda a: jax.lax.all_to_all(a, "y", 1, 0, tiled=True), P("x", None), P(("x", "y"), None))(A)


@function
def scan_with_psum(mesh):
    def step(carry, row):
        return jax.lax.psum(carry, "x") * 0.1 + row, carry

    f = jax.shard_map(lambda a: jax.lax.scan(step, jnp.zeros_like(a[0]), a)[1], mesh=mesh, in_specs=P("x"), out_specs=P("x"),
                      check_vma=False)  # fmt: skip
    return jax.jit(f)(A)


@function
def callback(mesh):
    def f(a):
        return jax.pure_callback(lambda v: np.asarray(v) * 3, jax.ShapeDtypeStruct(a.shape, a.dtype), a)

    return mapped(mesh, f, P("x"), P("x"))(A)


@function
def matmul(mesh):
    return jax.jit(jnp.matmul)(put(A, mesh, "x", "y"), put(B, mesh, "y", None))


@function
def matmul_with_out_shardings(mesh):
    f = jax.jit(jnp.matmul, out_shardings=NamedSharding(mesh, P("x")))
    return f(put(A, mesh, "x", "y"), put(B, mesh, "y", None))


@function
def constraint(mesh):
    return jax.jit(lambda a: jax.lax.with_sharding_constraint(a * 2, NamedSharding(mesh, P("x"))).sum())(put(A, mesh, "x"))


@function
def complex_numbers(mesh):
    f = jax.jit(lambda c: c * c + 1, out_shardings=NamedSharding(mesh, P("x")))
    return f(put((A + 1j * A[::-1]).astype(np.complex64), mesh, "x", "y"))


@function
def random_bits(mesh):
    return jax.jit(lambda key: jax.random.normal(key, (8, 16)), out_shardings=NamedSharding(mesh, P("x", "y")))(jax.random.key(0))


@function
def slices(mesh):
    x = put(A, mesh, "x", "y")
    return x[2], x[:, 1], x[3:5, 1:3]


@function
def moved(mesh):
    x = put(A, mesh, "x")
    y = jax.device_put(x, NamedSharding(mesh, P(None, "y")))
    return y, y.addressable_shards[1].data


@function
def one_device(mesh):
    return jax.jit(lambda x: x + 1)(jax.device_put(A, mesh.devices.flat[3]))


@function
def some_devices_in_another_order(mesh):
    sharding = NamedSharding(Mesh(mesh.devices.flat[::-1][:4], ("z",)), P("z"))
    y = jax.jit(lambda a: a.cumsum(1) + a.sum(), out_shardings=sharding)(jax.device_put(A, sharding))
    return y, np.array([shard.device.id for shard in y.addressable_shards])


@function
def training(mesh):
    generator = np.random.default_rng(1)
    weights = {"a": put(generator.standard_normal((16, 32), np.float32), mesh, None, "y"),
               "b": put(generator.standard_normal((32, 8), np.float32), mesh, "y", None)}  # fmt: skip
    x, wanted = (put(generator.standard_normal((16, width), np.float32), mesh, "x") for width in (16, 8))

    @partial(jax.jit, donate_argnums=0)
    def step(weights, x, wanted):
        def loss(w):
            return jnp.mean((jax.nn.relu(x @ w["a"]) @ w["b"] - wanted) ** 2)

        value, gradient = jax.value_and_grad(loss)(weights)
        return jax.tree.map(lambda p, g: p - 0.01 * g, weights, gradient), value

    losses = []
    for _ in range(10):
        weights, loss = step(weights, x, wanted)
        losses.append(float(loss))
    return weights, np.array(losses)


@function
def pmap(mesh):
    return jax.pmap(lambda a: jax.lax.psum(a, "i") / 2, axis_name="i", devices=list(mesh.devices.flat))(A)


@function
def pmap_gradient(mesh):
    def f(w, a):
        return jax.lax.pmean(jax.grad(lambda w: jnp.sum((a @ w) ** 2))(w), "i")

    return jax.pmap(f, axis_name="i", in_axes=(None, 0), devices=list(mesh.devices.flat))(B, A)


def run(f: Callable, platform: str) -> list:
    devices = jax.devices(platform)
    with jax.default_device(devices[0]):
        return jax.tree.leaves(f(Mesh(np.array(devices).reshape(4, 2), ("x", "y"))))


def difference(weft: list, cpu: list) -> str | None:
    for i, (got, expected) in enumerate(zip(weft, cpu, strict=True)):
        if not np.allclose(got, expected, rtol=TOLERANCE, atol=TOLERANCE):
            return f"result {i} is {np.asarray(got).ravel()[:4]}..., expected {np.asarray(expected).ravel()[:4]}..."
        specs = [getattr(getattr(x, "sharding", None), "spec", None) for x in (got, expected)]
        if specs[0] != specs[1]:
            return f"result {i} is sharded as {specs[0]}, expected {specs[1]}"
    return None


def main() -> None:
    failed = 0
    chosen = {name: f for name, f in FUNCTIONS.items() if FLAGS.only in name}
    for name, f in chosen.items():
        try:
            wrong = difference(run(f, "weft"), run(f, "cpu"))
        except Exception as refused:  # noqa: BLE001: JAX and the plugin throw several classes
            wrong = f"refused: {str(refused).splitlines()[0]}"
        failed += wrong is not None
        if wrong:
            print(f"{name}: {wrong}", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} functions on {DEVICES} devices agree with JAX on the CPU")
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
