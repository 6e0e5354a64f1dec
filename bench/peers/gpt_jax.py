"""The byte-level GPT in JAX, the whole step under jit, with optax's AdamW. Prints one JSON object."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from job import Config, job_parser, limit_threads, read_config, run_job
from safetensors.numpy import load_file

Weights = dict[str, Array]
TrainStep = Callable[[Weights, optax.OptState, np.ndarray], tuple[Weights, optax.OptState, Array]]


class Gpt:
    """The forward pass: activations and matrix products in the compute dtype; norms, softmax and loss in the wide dtype."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.compute_dtype = jnp.bfloat16 if config.dtype == "bf16" else wide_dtype(config)
        self.wide_dtype = wide_dtype(config)

    def loss(self, weights: Weights, tokens: Array) -> Array:
        weights = {name: value.astype(self.compute_dtype) for name, value in weights.items()}
        x = weights["embed.weight"][tokens[:, :-1]] + weights["position.weight"]
        for index in range(self.config.layers):
            x = self.block(weights, f"blocks.{index}", x)
        head = weights["embed.weight" if self.config.tied else "head.weight"]
        logits = self.norm(weights, "norm", x) @ head.T
        losses = optax.softmax_cross_entropy_with_integer_labels(logits.astype(self.wide_dtype), tokens[:, 1:])
        return losses.mean()

    def block(self, weights: Weights, name: str, x: Array) -> Array:
        x = x + self.attention(weights, f"{name}.attention", self.norm(weights, f"{name}.norm1", x))
        return x + self.mlp(weights, f"{name}.mlp", self.norm(weights, f"{name}.norm2", x))

    def attention(self, weights: Weights, name: str, x: Array) -> Array:
        batch, context, width = x.shape
        heads = (batch, context, self.config.heads, width // self.config.heads)
        qkv = jnp.split(linear(weights, f"{name}.qkv", x), 3, axis=-1)
        query, key, value = (part.reshape(heads) for part in qkv)
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key, preferred_element_type=self.wide_dtype)
        causal = jnp.tril(jnp.ones((context, context), bool))
        weighting = jax.nn.softmax(jnp.where(causal, scores * heads[-1] ** -0.5, -jnp.inf))
        mixed = jnp.einsum("bhqk,bkhd->bqhd", weighting.astype(self.compute_dtype), value)
        return linear(weights, f"{name}.proj", mixed.reshape(x.shape))

    def mlp(self, weights: Weights, name: str, x: Array) -> Array:
        return linear(weights, f"{name}.down", jax.nn.gelu(linear(weights, f"{name}.up", x), approximate=True))

    def norm(self, weights: Weights, name: str, x: Array) -> Array:
        x = x.astype(self.wide_dtype)
        x = x - x.mean(-1, keepdims=True)
        x = x * jax.lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-5)
        return x.astype(self.compute_dtype) * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def linear(weights: Weights, name: str, x: Array) -> Array:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def wide_dtype(config: Config) -> jnp.dtype:
    return jnp.dtype("float64" if config.dtype == "f64" else "float32")


def clip_by_global_norm(limit: float) -> optax.GradientTransformation:
    """Clips as PyTorch does, which unlike optax adds an epsilon to the norm."""

    def update(gradients: optax.Updates, _: optax.Params | None) -> optax.Updates:
        scale = jnp.minimum(1.0, limit / (optax.global_norm(gradients) + 1e-6))
        return jax.tree.map(lambda gradient: gradient * scale, gradients)

    return optax.stateless(update)


def make_optimizer(config: Config) -> optax.GradientTransformation:
    rates = jnp.asarray(config.lr, wide_dtype(config))
    adamw = optax.adamw(
        lambda count: rates[count],
        *config.betas,
        eps=config.eps,
        weight_decay=config.weight_decay,
        mask=lambda weights: jax.tree.map(lambda value: value.ndim >= 2, weights),
    )
    return optax.chain(clip_by_global_norm(config.clip), adamw)


def make_train_step(model: Gpt, optimizer: optax.GradientTransformation) -> TrainStep:
    def train_step(weights: Weights, state: optax.OptState, tokens: Array) -> tuple[Weights, optax.OptState, Array]:
        loss, gradients = jax.value_and_grad(model.loss)(weights, tokens)
        updates, state = optimizer.update(gradients, state, weights)
        return optax.apply_updates(weights, updates), state, loss

    return jax.jit(train_step, donate_argnums=(0, 1))


def load_weights(directory: Path) -> Weights:
    return {name: jnp.asarray(value) for name, value in load_file(directory / "init.safetensors").items()}


def main() -> None:
    flags = job_parser(__doc__).parse_args()
    config = read_config(flags.job)
    limit_threads(config.threads)  # before JAX's first computation, which starts its threads
    jax.config.update("jax_platforms", os.environ.get("JAX_PLATFORMS", "cpu"))
    jax.config.update("jax_enable_x64", config.dtype == "f64")
    optimizer = make_optimizer(config)
    train_step = make_train_step(Gpt(config), optimizer)
    weights = load_weights(flags.job)
    state = optimizer.init(weights)
    batches = load_file(flags.job / "batches.safetensors")["tokens"]

    def step(index: int) -> float:
        nonlocal weights, state
        weights, state, loss = train_step(weights, state, batches[index])
        return float(loss)

    run_job("jax-jit", jax.__version__, config, step)


if __name__ == "__main__":
    main()
