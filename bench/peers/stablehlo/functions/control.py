"""Control flow, randomness, transformations."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import special
from program import Program

from .drawing import Inputs, bf16, f32, f64, gradient, i32, i64, one, u32, value


def control() -> Iterator[Program]:
    yield gradient("scan", lambda c, xs: lax.scan(lambda c, x: (jnp.tanh(c * 0.9 + x), c.sum()), c, xs), lambda draw: (draw(3), draw(7, 3)))
    yield gradient("scan_reverse", lambda c, xs: lax.scan(lambda c, x: (c * 0.5 + x, c), c, xs, reverse=True), lambda draw: (draw(3), draw(7, 3)))
    yield gradient("scan_unroll", lambda c, xs: lax.scan(lambda c, x: (c * x, c + x), c, xs, unroll=3), lambda draw: (draw(3), draw(7, 3)))
    yield gradient("scan_pytree", lambda c, w: lax.scan(lambda c, x: ({"a": c["a"] @ w, "n": c["n"] + 1}, c["n"]), {"a": c, "n": 0}, None, length=4),
                   lambda draw: (draw(2, 3), draw(3, 3, low=-0.5, high=0.5)))
    yield gradient("scan_dynamic_slice", lambda x, w: lax.scan(lambda c, i: (c + lax.dynamic_slice(x, (i, 0), (2, 3)) @ w, x[i]), jnp.zeros((2, 3)), jnp.arange(4)),
                   lambda draw: (draw(6, 3), draw(3, 3)))
    yield gradient("scan_checkpoint", lambda c, xs: lax.scan(jax.checkpoint(lambda c, x: (jnp.sin(c) * x, c)), c, xs), lambda draw: (draw(3), draw(5, 3)))
    yield gradient("scan_bf16", lambda c, xs: lax.scan(lambda c, x: (c * x.astype(jnp.float32), x), c, xs), lambda draw: (draw(3), draw(5, 3, dtype=bf16)))
    yield gradient("nested_scan", lambda c, xs: lax.scan(lambda c, row: lax.scan(lambda c, x: (c * 0.9 + x, c * x), c, row), c, xs), lambda draw: (np.float32(0.5), draw(4, 3)))
    yield gradient("scan_zero_length", lambda c, xs: lax.scan(lambda c, x: (c + x, c), c, xs), lambda draw: (draw(3), draw(0, 3)))
    yield value("while_loop", lambda x: lax.while_loop(lambda s: s[0] < 10, lambda s: (s[0] + 1, s[1] * 1.1), (0, x)), lambda draw: (draw(3),))
    yield value("while_data", lambda x: lax.while_loop(lambda s: jnp.sum(s * s) > 0.1, lambda s: s * 0.7, x), lambda draw: (draw(3),))
    yield value("while_none", lambda x: lax.while_loop(lambda s: s[0] < 0, lambda s: (s[0] + 1, s[1] * 2), (0, x)), lambda draw: (draw(3),))
    yield gradient("fori_loop", lambda x: lax.fori_loop(0, 5, lambda i, s: s * 1.1 + i, x), lambda draw: (draw(3),))
    yield value("fori_dynamic", lambda x, n: lax.fori_loop(0, n, lambda i, s: s.at[i].add(i), x), lambda draw: (draw(6), np.int32(4)))
    yield gradient("cond", lambda p, x: lax.cond(p > 0, jnp.sin, lambda v: v * 3, x), lambda draw: (np.int32(1), draw(3)))
    yield gradient("cond_captures", lambda p, x, y: lax.cond(p, lambda: (x * y, x.sum()), lambda: (x + y, jnp.float32(2))), lambda draw: (np.bool_(False), draw(3), draw(3)))
    yield gradient("switch", lambda i, x: lax.switch(i, (jnp.sin, jnp.cos, lambda v: v * v), x), lambda draw: (np.int32(2), draw(3)))
    yield value("switch_clamped", lambda i, j, x: (lax.switch(i, (jnp.sin, jnp.cos), x), lax.switch(j, (jnp.sin, jnp.cos), x)), lambda draw: (np.int32(9), np.int32(-3), draw(3)))
    yield gradient("cond_in_scan", lambda x: lax.scan(lambda c, i: (lax.cond(i % 2 == 0, jnp.sin, jnp.cos, c), c), x, jnp.arange(5)), lambda draw: (draw(3),))
    yield value("vmap_while", jax.vmap(lambda n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 2), (0, 1))[1]), lambda draw: (draw(5, dtype=i32, low=0, high=6),))
    yield value("vmap_cond", jax.vmap(lambda p, x: lax.cond(p > 0, jnp.sin, jnp.cos, x)), lambda draw: (draw(5), draw(5)))
    yield gradient("map", lambda x: lax.map(lambda row: jnp.sort(row)[0] * row, x), lambda draw: (draw.permutation(4, 5) / f32.type(8),))
    yield gradient("custom_jvp", lambda x: nn.relu(x) + nn.silu(x) + special.logit(nn.sigmoid(x)), one)
    yield gradient("custom_vjp", clipped_gradient, one)
    yield gradient("remat", jax.checkpoint(lambda x, w: jnp.tanh(jnp.sin(x @ w) @ w)), lambda draw: (draw(3, 4), draw(4, 4)))
    yield gradient("stop_gradient", lambda x: lax.stop_gradient(x) * x, one)
    yield value("hessian", lambda x: jax.hessian(lambda v: jnp.sum(jnp.tanh(v) ** 3))(x), lambda draw: (draw(4),))
    yield value("jacobian", lambda x, w: (jax.jacfwd(lambda v: jnp.sin(v @ w))(x), jax.jacrev(lambda v: jnp.sin(v @ w))(x)), lambda draw: (draw(3), draw(3, 4)))
    yield value("jvp", lambda x, t: jax.jvp(lambda v: nn.softmax(v) * v, (x,), (t,)), lambda draw: (draw(2, 5), draw(2, 5)))
    yield value("per_example_gradients", lambda w, x: jax.vmap(jax.grad(lambda w, v: jnp.sum(jnp.tanh(v @ w) ** 2)), (None, 0))(w, x), lambda draw: (draw(3, 2), draw(4, 3)))
    yield value("barrier", lambda x, y: lax.optimization_barrier((x + 1, y * 2)), lambda draw: (draw(3), draw(3)))
    yield value("nested_jit", lambda x: jax.jit(lambda v: jax.jit(jnp.sin)(v) + jax.jit(jnp.sin)(v * 2))(x), one)
    yield value("named_scope", lambda x: jax.named_scope("a block")(lambda v: jnp.sin(v))(x), one)
    yield value("same_output_twice", lambda x: (x, x, x + 1), one)
    yield value("unused_input", lambda x, y: y * 2, lambda draw: (draw(3), draw(2)))
    yield value("newton", lambda x: lax.fori_loop(0, 6, lambda i, v: 0.5 * (v + x / v), x), lambda draw: (draw(5, low=0.5, high=9),))
    yield value("x64_mixed", lambda x, n: (jnp.sum(x, 0), n * 2**40, x.astype(jnp.float32) @ jnp.ones((3,), jnp.float32), jnp.argmax(x, 1)),
                lambda draw: (draw(4, 3, dtype=f64), draw(4, dtype=i64)), x64=True)
    yield gradient("x64_scan", lambda c, xs: lax.scan(lambda c, x: (jnp.sin(c) + x, c), c, xs), lambda draw: (draw(3, dtype=f64), draw(5, 3, dtype=f64)), x64=True)
    yield gradient("x64_gather", lambda x, i: x[i] ** 2, lambda draw: (draw(5, dtype=f64), draw(4, dtype=i64, low=-5, high=4)), x64=True)
    yield value("x64_integers", lambda a, b: (a * b, a // b, a << 3, a >> 2, jnp.bitwise_count(a), lax.mulhi(a, b) if hasattr(lax, "mulhi") else a),
                lambda draw: (draw(9, dtype=i64, low=-(2**62), high=2**62), draw(9, dtype=i64, low=1, high=2**40)), x64=True)


@jax.custom_vjp
def clipped_gradient(x):
    return x * x


clipped_gradient.defvjp(lambda x: (x * x, x), lambda x, g: (jnp.clip(2 * x * g, -1, 1),))


def randomness() -> Iterator[Program]:
    def key(draw: Inputs) -> tuple:
        return (draw.key(),)

    samplers = {
        "uniform": lambda k: jax.random.uniform(k, (3, 5)), "normal": lambda k: jax.random.normal(k, (7,)), "bits": lambda k: jax.random.bits(k, (9,)),
        "bits8": lambda k: jax.random.bits(k, (9,), jnp.uint8), "randint": lambda k: jax.random.randint(k, (9,), -5, 17), "split": lambda k: jax.random.split(k, 3),
        "fold_in": lambda k: jax.random.fold_in(k, 7), "permutation": lambda k: jax.random.permutation(k, 10), "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (20,)),
        "categorical": lambda k: jax.random.categorical(k, jnp.log(jnp.array([0.1, 0.2, 0.7])), shape=(9,)), "gumbel": lambda k: jax.random.gumbel(k, (9,)),
        "truncated_normal": lambda k: jax.random.truncated_normal(k, -1, 1, (9,)), "exponential": lambda k: jax.random.exponential(k, (9,)),
        "laplace": lambda k: jax.random.laplace(k, (9,)), "choice": lambda k: jax.random.choice(k, jnp.arange(9), (4,), replace=False),
        "uniform_bf16": lambda k: jax.random.uniform(k, (9,), jnp.bfloat16), "normal_bf16": lambda k: jax.random.normal(k, (9,), jnp.bfloat16),
        "cauchy": lambda k: jax.random.cauchy(k, (9,)), "logistic": lambda k: jax.random.logistic(k, (9,)), "rademacher": lambda k: jax.random.rademacher(k, (9,)),
        "gamma": lambda k: jax.random.gamma(k, 2.5, (5,)), "beta": lambda k: jax.random.beta(k, 2.0, 3.0, (5,)), "poisson": lambda k: jax.random.poisson(k, 4.0, (9,)),
        "dirichlet": lambda k: jax.random.dirichlet(k, jnp.ones(3), (4,)), "orthogonal_free": lambda k: jax.random.ball(k, 3, 2.0, (4,)),
        "initializers": lambda k: (nn.initializers.he_normal()(k, (4, 5)), nn.initializers.glorot_uniform()(k, (4, 5)), nn.initializers.lecun_normal()(k, (4, 5))),
    }
    for name, function in samplers.items():
        yield value(f"random_{name}", function, key)
    yield value("random_typed_key", lambda seed: jax.random.normal(jax.random.key(seed), (5,)), lambda draw: (np.int32(42),))
    yield value("random_prng_key", lambda seed: jax.random.uniform(jax.random.PRNGKey(seed), (5,)), lambda draw: (np.int32(42),))
    yield value("random_rbg", lambda seed: jax.random.uniform(jax.random.key(seed, impl="rbg"), (5,)), lambda draw: (np.int32(42),))
    yield value("rng_bit_generator", lambda k: lax.rng_bit_generator(k, (4, 5)), lambda draw: (draw.generator.integers(0, 2**32, 4, dtype=u32),))
    yield value("rng_three_fry", lambda k: lax.rng_bit_generator(k, (4, 5), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY),
                lambda draw: (draw.generator.integers(0, 2**32, 4, dtype=u32),))
    yield gradient("dropout", lambda x, k: jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(k), 0.8, x.shape), x / 0.8, 0),
                   lambda draw: (draw(4, 6), draw.key()))
    yield value("random_x64", lambda k: (jax.random.normal(k, (5,)), jax.random.randint(k, (5,), 0, 2**40), jax.random.bits(k, (3,), jnp.uint64)), key, x64=True)
    yield gradient("reparametrised", lambda m, s, k: jnp.sum(m + jnp.exp(s) * jax.random.normal(k, m.shape)), lambda draw: (draw(5), draw(5), draw.key()))
