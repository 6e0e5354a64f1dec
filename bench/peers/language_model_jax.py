"""GPT-2 on random tokens in JAX on a GPU, the whole step under jit: the peer of bench/language_model.cpp. Prints one JSON object."""

from __future__ import annotations

import argparse
import json
import time

import jax
import jax.numpy as jnp
import language_model
from jax import Array

Weights = dict[str, Array]
State = tuple[Array, Weights, Weights]


def make_weights(flags: argparse.Namespace) -> Weights:
    width = flags.width
    shapes: dict[str, tuple[int, ...]] = {"embed": (flags.vocabulary, width), "position": (flags.context, width)}
    norms = ["norm"]
    for index in range(flags.layers):
        block = f"blocks.{index}"
        norms += [f"{block}.norm1", f"{block}.norm2"]
        for name, columns, rows in (("qkv", 3, 1), ("proj", 1, 1), ("up", 4, 1), ("down", 1, 4)):
            shapes[f"{block}.{name}.weight"] = (rows * width, columns * width)
            shapes[f"{block}.{name}.bias"] = (columns * width,)
    keys = jax.random.split(jax.random.key(1), len(shapes))
    weights = {
        name: 0.02 * jax.random.normal(key, shape) if len(shape) > 1 else jnp.zeros(shape)
        for key, (name, shape) in zip(keys, shapes.items(), strict=True)
    }
    for name in norms:
        weights[f"{name}.weight"], weights[f"{name}.bias"] = jnp.ones(width), jnp.zeros(width)
    return weights


def norm(weights: Weights, name: str, x: Array) -> Array:
    wide = x.astype(jnp.float32)
    wide = wide - wide.mean(-1, keepdims=True)
    wide = wide * jax.lax.rsqrt(jnp.square(wide).mean(-1, keepdims=True) + 1e-5)
    return (wide * weights[f"{name}.weight"] + weights[f"{name}.bias"]).astype(x.dtype)


def linear(weights: Weights, name: str, x: Array) -> Array:
    return x @ weights[f"{name}.weight"].astype(x.dtype) + weights[f"{name}.bias"].astype(x.dtype)


def loss_of(weights: Weights, tokens: Array, flags: argparse.Namespace) -> Array:
    compute = jnp.bfloat16 if flags.dtype == "bf16" else jnp.float32
    embed = weights["embed"].astype(compute)
    x = embed[tokens[:, :-1]] + weights["position"].astype(compute)
    heads = (*x.shape[:2], flags.heads, flags.width // flags.heads)
    for index in range(flags.layers):
        block = f"blocks.{index}"
        qkv = linear(weights, f"{block}.qkv", norm(weights, f"{block}.norm1", x))
        query, key, value = (part.reshape(heads) for part in jnp.split(qkv, 3, axis=-1))
        mixed = jax.nn.dot_product_attention(query, key, value, is_causal=True, implementation=flags.attention)
        x = x + linear(weights, f"{block}.proj", mixed.reshape(x.shape))
        hidden = jax.nn.gelu(linear(weights, f"{block}.up", norm(weights, f"{block}.norm2", x)), approximate=True)
        x = x + linear(weights, f"{block}.down", hidden)
    logits = (norm(weights, "norm", x) @ embed.T).astype(jnp.float32)
    wanted = jnp.take_along_axis(logits, tokens[:, 1:, None], axis=-1)[..., 0]
    return (jax.nn.logsumexp(logits, axis=-1) - wanted).mean()


def adamw(weights: Weights, state: State, gradients: Weights) -> tuple[Weights, State]:
    """Updates as optax.adamw(3e-4, weight_decay=0.1) does, so that only JAX is needed."""
    rate, beta1, beta2, epsilon, decay = 3e-4, 0.9, 0.999, 1e-8, 0.1
    count, means, squares = state
    count = count + 1
    means = jax.tree.map(lambda mean, g: beta1 * mean + (1 - beta1) * g, means, gradients)
    squares = jax.tree.map(lambda square, g: beta2 * square + (1 - beta2) * g * g, squares, gradients)

    def updated(weight: Array, mean: Array, square: Array) -> Array:
        step = (mean / (1 - beta1**count)) / (jnp.sqrt(square / (1 - beta2**count)) + epsilon)
        return weight - rate * (step + decay * weight)

    return jax.tree.map(updated, weights, means, squares), (count, means, squares)


def main() -> None:
    flags = language_model.parse(__doc__, {"attention": ("cudnn", "xla")})
    start = time.perf_counter()
    weights = make_weights(flags)
    state = jnp.zeros(()), *(jax.tree.map(jnp.zeros_like, weights) for _ in range(2))
    batches = jax.random.randint(jax.random.key(2), (4, flags.batch, flags.context + 1), 0, flags.vocabulary)

    @jax.jit
    def pick(index: int) -> Array:
        return batches[index % 4]

    def update(weights: Weights, state: State, tokens: Array) -> tuple[Weights, State, Array]:
        loss, gradients = jax.value_and_grad(loss_of)(weights, tokens, flags)
        return *adamw(weights, state, gradients), loss

    train_step = jax.jit(update, donate_argnums=(0, 1))
    picked = [pick(index) for index in range(4)]

    def step(index: int) -> Array:
        nonlocal weights, state
        weights, state, loss = train_step(weights, state, picked[index % 4])
        return loss

    result = {
        "peer": f"jax-jit, {flags.attention} attention",
        "version": jax.__version__,
        **language_model.measure(flags, start, step, lambda: jax.block_until_ready(weights)),
        "peak_bytes": (jax.local_devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
