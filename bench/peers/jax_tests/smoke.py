"""A short JAX program that uses much of what the plugin does, in the forms that JAX has had since 0.7; fails if a result is wrong."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

devices = jax.devices()
assert "weft" in devices[0].client.platform_version
x = jnp.arange(12.0).reshape(3, 4)
ours = np.asarray(x)

assert np.allclose(jax.jit(lambda a: jnp.tanh(a @ a.T).sum())(x), np.tanh(ours @ ours.T).sum())
step = jax.jit(lambda w: w - 0.1 * jax.grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w), donate_argnums=0)
first = weights = jnp.ones((4, 2))
for _ in range(3):
    weights = step(weights)
assert first.is_deleted() and np.isfinite(np.asarray(weights)).all()
assert np.allclose(jnp.linalg.svd(x)[1], np.linalg.svd(ours)[1], atol=1e-4)
assert np.asarray(jnp.sort(jax.random.normal(jax.random.key(0), (5,)))).shape == (5,)
doubled = jax.pure_callback(lambda a: np.asarray(a) * 2, jax.ShapeDtypeStruct((3, 4), jnp.float32), x)
assert np.allclose(doubled, 2 * ours)
assert float(jax.lax.scan(lambda carry, t: (carry + t, carry * t), 0.0, jnp.arange(5.0))[0]) == 10
assert np.allclose(jax.scipy.special.erf(x), np.vectorize(math.erf)(ours), atol=1e-6)
assert np.array_equal(jax.lax.top_k(x, 2)[0], ours[:, :1:-1])

if len(devices) > 1:
    mesh = Mesh(np.array(devices), ("i",))
    rows = NamedSharding(mesh, PartitionSpec("i"))
    count = len(devices)
    assert float(jax.jit(lambda a: a.sum())(jax.device_put(jnp.arange(2.0 * count), rows))) == count * (2 * count - 1)
    sums = jax.pmap(lambda a: jax.lax.psum(a, "i"), axis_name="i")(jnp.arange(float(count)))
    assert np.allclose(sums, count * (count - 1) / 2)
    small = jax.device_put(jnp.arange(2 * count, dtype=jnp.int8).astype(jnp.int4), rows)
    assert np.asarray(jax.jit(lambda a: a + a)(small).astype(jnp.int8))[3] == 6
