"""The captioner in JAX: a ViT with a GPT-2 and cross-attention on random captions, the step under jit. Prints one JSON object."""

from __future__ import annotations

import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from captioner_data import IGNORED, Sizes, measure, parse_flags
from jax import Array
from job import limit_threads

Weights = dict[str, dict | Array]


def init(sizes: Sizes) -> Weights:
    """Makes matrices [in, out] from a normal distribution with standard deviation 0.02; biases are 0, norms 1 and 0."""
    random = np.random.default_rng(0)
    width = sizes.width

    def matrix(rows: int, columns: int) -> Array:
        return jnp.asarray(0.02 * random.standard_normal((rows, columns)), jnp.float32)

    def linear(inputs: int, outputs: int) -> Weights:
        return {"weight": matrix(inputs, outputs), "bias": jnp.zeros(outputs)}

    def norm() -> Weights:
        return {"weight": jnp.ones(width), "bias": jnp.zeros(width)}

    def encoder_block() -> Weights:
        return {"norm1": norm(), "qkv": linear(width, 3 * width), "proj": linear(width, width),
                "norm2": norm(), "up": linear(width, 4 * width), "down": linear(4 * width, width)}

    def decoder_block() -> Weights:
        return encoder_block() | {"norm3": norm(), "query": linear(width, width), "key_value": linear(width, 2 * width),
                                  "cross": linear(width, width)}

    return {"patch": linear(3 * sizes.patch**2, width), "class": jnp.zeros((1, width)), "places": matrix(sizes.places, width),
            "encoder": [encoder_block() for _ in range(sizes.encoder_layers)], "encoder_norm": norm(),
            "embed": matrix(sizes.vocabulary, width), "position": matrix(sizes.context, width),
            "decoder": [decoder_block() for _ in range(sizes.decoder_layers)], "decoder_norm": norm()}


def norm(weights: Weights, x: Array, epsilon: float) -> Array:
    """Computes in f32; the result has the dtype of the residual stream."""
    x = x - x.mean(-1, keepdims=True)
    return x * jax.lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + epsilon) * weights["weight"] + weights["bias"]


class Captioner:
    def __init__(self, sizes: Sizes, dtype: str) -> None:
        self.sizes = sizes
        self.compute = jnp.bfloat16 if dtype == "bf16" else jnp.float32

    def linear(self, weights: Weights, x: Array) -> Array:
        return x.astype(self.compute) @ weights["weight"].astype(self.compute) + weights["bias"].astype(self.compute)

    def attention(self, query: Array, key: Array, value: Array, causal: bool) -> Array:
        def split(x: Array) -> Array:
            return x.reshape(*x.shape[:2], self.sizes.heads, -1)

        query, key, value = split(query), split(key), split(value)
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key, preferred_element_type=jnp.float32) * query.shape[-1] ** -0.5
        if causal:
            scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores).astype(self.compute), value)
        return mixed.reshape(*mixed.shape[:2], -1)

    def self_attention(self, block: Weights, x: Array, causal: bool) -> Array:
        return self.linear(block["proj"], self.attention(*jnp.split(self.linear(block["qkv"], x), 3, -1), causal))

    def mlp(self, block: Weights, x: Array, approximate: bool) -> Array:
        return self.linear(block["down"], jax.nn.gelu(self.linear(block["up"], x), approximate=approximate))

    def loss(self, weights: Weights, images: Array, tokens: Array, labels: Array) -> Array:
        batch, rows, patch = images.shape[0], self.sizes.image // self.sizes.patch, self.sizes.patch
        patches = images.reshape(batch, 3, rows, patch, rows, patch).transpose(0, 2, 4, 1, 3, 5).reshape(batch, rows**2, -1)
        first = jnp.broadcast_to(weights["class"], (batch, 1, self.sizes.width))
        x = jnp.concatenate([first, self.linear(weights["patch"], patches)], 1) + weights["places"]
        for block in weights["encoder"]:
            x = x + self.self_attention(block, norm(block["norm1"], x, 1e-12), causal=False)
            x = x + self.mlp(block, norm(block["norm2"], x, 1e-12), approximate=False)
        memory = norm(weights["encoder_norm"], x, 1e-12)
        x = weights["embed"][tokens] + weights["position"][: tokens.shape[1]]
        for block in weights["decoder"]:
            x = x + self.self_attention(block, norm(block["norm1"], x, 1e-5), causal=True)
            seen = jnp.split(self.linear(block["key_value"], memory), 2, -1)
            x = x + self.linear(block["cross"], self.attention(self.linear(block["query"], norm(block["norm2"], x, 1e-5)), *seen, False))
            x = x + self.mlp(block, norm(block["norm3"], x, 1e-5), approximate=True)
        hidden = norm(weights["decoder_norm"], x, 1e-5).astype(self.compute)
        logits = (hidden @ weights["embed"].T.astype(self.compute)).astype(jnp.float32)
        counted = labels != IGNORED
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, jnp.where(counted, labels, 0))
        return jnp.where(counted, losses, 0).sum() / counted.sum()


def main() -> None:
    flags = parse_flags(__doc__, ("jit",))
    limit_threads(flags.threads)  # before JAX's first computation, which starts its threads
    jax.config.update("jax_platforms", os.environ.get("JAX_PLATFORMS", "cpu"))
    model, optimizer = Captioner(flags.sizes, flags.dtype), optax.adam(1e-3)
    weights = init(flags.sizes)
    state = optimizer.init(weights)

    def train(weights, state, images, tokens, labels):
        loss, gradients = jax.value_and_grad(model.loss)(weights, images, tokens, labels)
        updates, state = optimizer.update(gradients, state, weights)
        return optax.apply_updates(weights, updates), state, loss

    train_step = jax.jit(train, donate_argnums=(0, 1))

    def step(images, tokens, labels) -> Array:
        nonlocal weights, state
        weights, state, loss = train_step(weights, state, images, tokens, labels)
        return loss

    measure("jax-jit", jax.__version__, flags, step, float)


if __name__ == "__main__":
    main()
