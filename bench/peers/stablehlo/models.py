"""The exported models, in plain JAX and optax; each is a function of the size."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from program import Program

SIZES = ("tiny", "small", "bench")


def normal(generator: np.random.Generator, *shape: int, scale: float = 1.0) -> np.ndarray:
    return (scale * generator.standard_normal(shape)).astype(np.float32)


def dense(generator: np.random.Generator, inputs: int, outputs: int) -> dict[str, np.ndarray]:
    return {"weight": normal(generator, inputs, outputs, scale=inputs**-0.5), "bias": np.zeros(outputs, np.float32)}


def apply_dense(layer: dict, x: jax.Array) -> jax.Array:
    return x @ layer["weight"].astype(x.dtype) + layer["bias"].astype(x.dtype)


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    return optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), labels).mean()


# ---- a multilayer perceptron, trained by SGD with momentum


def mlp_step(size: str) -> Program:
    batch, widths = {"tiny": (4, (7, 8, 5)), "small": (32, (64, 128, 128, 10)), "bench": (256, (784, 512, 512, 10))}[size]
    generator = np.random.default_rng(1)
    layers = [dense(generator, i, o) for i, o in zip(widths, widths[1:])]
    momentum = jax.tree.map(np.zeros_like, layers)

    def loss(layers, x, labels):
        for layer in layers[:-1]:
            x = jax.nn.relu(apply_dense(layer, x))
        return cross_entropy(apply_dense(layers[-1], x), labels)

    def step(layers, momentum, x, labels):
        value, gradients = jax.value_and_grad(loss)(layers, x, labels)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradients)
        return jax.tree.map(lambda p, m: p - 0.1 * m, layers, momentum), momentum, value

    images, labels = normal(generator, batch, widths[0]), generator.integers(0, widths[-1], batch).astype(np.int32)
    return Program("mlp_step", step, (layers, momentum, images, labels), donated=(0, 1))


# ---- a GPT, trained by AdamW


def layer_norm(x: jax.Array, parameters: dict) -> jax.Array:
    wide = x.astype(jnp.float32)
    normal_ = jax.nn.standardize(wide, axis=-1, epsilon=1e-5)
    return (normal_ * parameters["scale"] + parameters["shift"]).astype(x.dtype)


def norm_parameters(width: int) -> dict[str, np.ndarray]:
    return {"scale": np.ones(width, np.float32), "shift": np.zeros(width, np.float32)}


def attention(block: dict, x: jax.Array, heads: int, *, causal: bool) -> jax.Array:
    batch, length, width = x.shape
    qkv = apply_dense(block["qkv"], x).reshape(batch, length, 3, heads, width // heads)
    query, key, value = (qkv[:, :, i] for i in range(3))
    mixed = jax.nn.dot_product_attention(query, key, value, is_causal=causal)
    return apply_dense(block["proj"], mixed.reshape(batch, length, width))


def transformer_block(block: dict, x: jax.Array, heads: int, *, causal: bool) -> jax.Array:
    x = x + attention(block, layer_norm(x, block["norm1"]), heads, causal=causal)
    hidden = jax.nn.gelu(apply_dense(block["up"], layer_norm(x, block["norm2"])), approximate=causal)
    return x + apply_dense(block["down"], hidden)


def block_parameters(generator: np.random.Generator, width: int) -> dict:
    return {"norm1": norm_parameters(width), "qkv": dense(generator, width, 3 * width),
            "proj": dense(generator, width, width), "norm2": norm_parameters(width),
            "up": dense(generator, width, 4 * width), "down": dense(generator, 4 * width, width)}


def transformer_step(size: str, compute_dtype=jnp.float32, name: str = "transformer_step") -> Program:
    layers, width, heads, context, batch, vocab = {
        "tiny": (1, 8, 2, 6, 2, 11), "small": (2, 64, 4, 32, 4, 128), "bench": (4, 256, 8, 128, 8, 256)}[size]
    generator = np.random.default_rng(2)
    weights = {"embed": normal(generator, vocab, width, scale=0.02), "position": normal(generator, context, width, scale=0.02),
               "blocks": [block_parameters(generator, width) for _ in range(layers)], "norm": norm_parameters(width)}
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3, weight_decay=0.1))

    def loss(weights, tokens):
        x = (weights["embed"][tokens[:, :-1]] + weights["position"]).astype(compute_dtype)
        for block in weights["blocks"]:
            x = transformer_block(block, x, heads, causal=True)
        logits = layer_norm(x, weights["norm"]) @ weights["embed"].T.astype(compute_dtype)
        return cross_entropy(logits, tokens[:, 1:])

    def step(weights, state, tokens):
        value, gradients = jax.value_and_grad(loss)(weights, tokens)
        updates, state = optimizer.update(gradients, state, weights)
        return optax.apply_updates(weights, updates), state, value

    tokens = generator.integers(0, vocab, (batch, context + 1)).astype(np.int32)
    state = jax.tree.map(np.asarray, optimizer.init(weights))
    return Program(name, step, (weights, state, tokens), donated=(0, 1))


# ---- a ResNet with batch normalisation, and its training by SGD


def convolution(x: jax.Array, kernel: jax.Array, stride: int = 1) -> jax.Array:
    return jax.lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def resnet_parameters(generator: np.random.Generator, widths: tuple[int, ...], blocks: int, classes: int) -> tuple[dict, dict]:
    def kernel(size: int, inputs: int, outputs: int) -> np.ndarray:
        return normal(generator, size, size, inputs, outputs, scale=(2 / (size * size * inputs)) ** 0.5)

    def statistics(width: int) -> dict[str, np.ndarray]:
        return {"mean": np.zeros(width, np.float32), "variance": np.ones(width, np.float32)}

    weights = {"stem": kernel(3, 3, widths[0]), "norm": norm_parameters(widths[0]), "blocks": [],
               "head": dense(generator, widths[-1], classes)}
    running = {"norm": statistics(widths[0]), "blocks": []}
    inputs = widths[0]
    for width in widths:
        for _ in range(blocks):
            block = {"conv1": kernel(3, inputs, width), "norm1": norm_parameters(width),
                     "conv2": kernel(3, width, width), "norm2": norm_parameters(width)}
            if inputs != width:
                block["shortcut"] = kernel(1, inputs, width)
            weights["blocks"].append(block)
            running["blocks"].append({"norm1": statistics(width), "norm2": statistics(width)})
            inputs = width
    return weights, running


def batch_norm(x: jax.Array, parameters: dict, running: dict, *, training: bool) -> tuple[jax.Array, dict]:
    mean, variance = running["mean"], running["variance"]
    if training:
        mean, variance = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
        running = {"mean": 0.9 * running["mean"] + 0.1 * mean, "variance": 0.9 * running["variance"] + 0.1 * variance}
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * parameters["scale"] + parameters["shift"], running


def resnet(weights: dict, running: dict, x: jax.Array, *, training: bool) -> tuple[jax.Array, dict]:
    norm = partial(batch_norm, training=training)
    x, stem = norm(convolution(x, weights["stem"]), weights["norm"], running["norm"])
    x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    blocks = []
    for block, old in zip(weights["blocks"], running["blocks"]):
        stride = 2 if "shortcut" in block else 1
        y, norm1 = norm(convolution(x, block["conv1"], stride), block["norm1"], old["norm1"])
        y, norm2 = norm(convolution(jax.nn.relu(y), block["conv2"]), block["norm2"], old["norm2"])
        x = jax.nn.relu(y + (convolution(x, block["shortcut"], stride) if "shortcut" in block else x))
        blocks.append({"norm1": norm1, "norm2": norm2})
    return apply_dense(weights["head"], jnp.mean(x, (1, 2))), {"norm": stem, "blocks": blocks}


def resnet_inputs(size: str):
    batch, side, widths, blocks = {"tiny": (2, 8, (4, 6), 1), "small": (4, 16, (8, 16), 1),
                                   "bench": (16, 32, (32, 64, 128), 2)}[size]
    generator = np.random.default_rng(3)
    weights, running = resnet_parameters(generator, widths, blocks, 10)
    images, labels = normal(generator, batch, side, side, 3), generator.integers(0, 10, batch).astype(np.int32)
    return weights, running, images, labels


def resnet_forward(size: str) -> Program:
    weights, running, images, _ = resnet_inputs(size)
    return Program("resnet_forward", lambda w, r, x: resnet(w, r, x, training=False)[0], (weights, running, images))


def resnet_step(size: str) -> Program:
    weights, running, images, labels = resnet_inputs(size)

    def loss(weights, running, images, labels):
        logits, running = resnet(weights, running, images, training=True)
        return cross_entropy(logits, labels), running

    def step(weights, running, images, labels):
        (value, running), gradients = jax.value_and_grad(loss, has_aux=True)(weights, running, images, labels)
        return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradients), running, value

    return Program("resnet_step", step, (weights, running, images, labels), donated=(0, 1))


# ---- a vision transformer


def vit_forward(size: str) -> Program:
    batch, side, patch, layers, width, heads = {"tiny": (2, 8, 4, 1, 8, 2), "small": (4, 16, 4, 2, 32, 4),
                                                "bench": (16, 32, 4, 6, 384, 8)}[size]
    generator = np.random.default_rng(4)
    count = (side // patch) ** 2
    weights = {"patch": dense(generator, patch * patch * 3, width), "class": normal(generator, 1, 1, width),
               "position": normal(generator, count + 1, width, scale=0.02),
               "blocks": [block_parameters(generator, width) for _ in range(layers)], "norm": norm_parameters(width),
               "head": dense(generator, width, 10)}

    def forward(weights, images):
        rows = side // patch
        x = images.reshape(batch, rows, patch, rows, patch, 3).transpose(0, 1, 3, 2, 4, 5).reshape(batch, count, -1)
        x = apply_dense(weights["patch"], x)
        x = jnp.concatenate([jnp.tile(weights["class"], (batch, 1, 1)), x], 1) + weights["position"]
        for block in weights["blocks"]:
            x = transformer_block(block, x, heads, causal=False)
        return apply_dense(weights["head"], layer_norm(x[:, 0], weights["norm"]))

    return Program("vit_forward", forward, (weights, normal(generator, batch, side, side, 3)))


# ---- an LSTM over a sequence, and its gradient


def rnn_gradient(size: str) -> Program:
    steps, batch, inputs, width = {"tiny": (5, 2, 3, 4), "small": (32, 8, 16, 32), "bench": (128, 16, 64, 128)}[size]
    generator = np.random.default_rng(5)
    weights = {"gates": dense(generator, inputs + width, 4 * width), "head": dense(generator, width, 1)}

    def loss(weights, sequence, target):
        def cell(state, x):
            hidden, memory = state
            i, f, g, o = jnp.split(apply_dense(weights["gates"], jnp.concatenate([x, hidden], -1)), 4, -1)
            memory = jax.nn.sigmoid(f + 1) * memory + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(memory)
            return (hidden, memory), apply_dense(weights["head"], hidden)[:, 0]

        zeros = jnp.zeros((batch, width))
        _, outputs = jax.lax.scan(cell, (zeros, zeros), sequence)
        return jnp.mean((outputs - target) ** 2)

    sequence, target = normal(generator, steps, batch, inputs), normal(generator, steps, batch)
    return Program("rnn_gradient", jax.value_and_grad(loss), (weights, sequence, target))


# ---- a linear recurrent unit: a diagonal complex state, a loss with a part in the spectrum, trained by SGD


def recurrent_unit_step(size: str) -> Program:
    steps, batch, inputs, width = {"tiny": (6, 2, 3, 4), "small": (64, 8, 16, 32), "bench": (256, 16, 64, 256)}[size]
    generator = np.random.default_rng(6)

    def complex_normal(*shape: int, scale: float) -> np.ndarray:
        return (normal(generator, *shape, scale=scale) + 1j * normal(generator, *shape, scale=scale)).astype(np.complex64)

    weights = {"decay": normal(generator, width), "angle": normal(generator, width),
               "in": complex_normal(inputs, width, scale=(2 * inputs) ** -0.5), "out": complex_normal(width, 1, scale=width**-0.5)}

    def loss(weights, sequence, target):
        pole = jnp.exp(-jnp.exp(weights["decay"]) + 1j * weights["angle"])
        driven = sequence @ weights["in"]

        def cell(state, x):
            state = pole * state + x
            return state, (state @ weights["out"]).real[:, 0]

        _, outputs = jax.lax.scan(cell, jnp.zeros((batch, width), jnp.complex64), driven)
        spectrum = jnp.fft.rfft(outputs - target, axis=0)
        return jnp.mean((outputs - target) ** 2) + 0.1 * jnp.mean(jnp.abs(spectrum) ** 2)

    def step(weights, sequence, target):
        value, gradients = jax.value_and_grad(loss)(weights, sequence, target)
        return jax.tree.map(lambda p, g: p - 0.1 * g.conj(), weights, gradients), value

    sequence, target = normal(generator, steps, batch, inputs), normal(generator, steps, batch)
    return Program("recurrent_unit_step", step, (weights, sequence, target), donated=(0,))


MODELS: dict[str, Callable[[str], Program]] = {
    "mlp_step": mlp_step,
    "transformer_step": transformer_step,
    "transformer_step_bf16": partial(transformer_step, compute_dtype=jnp.bfloat16, name="transformer_step_bf16"),
    "resnet_forward": resnet_forward,
    "resnet_step": resnet_step,
    "vit_forward": vit_forward,
    "rnn_gradient": rnn_gradient,
    "recurrent_unit_step": recurrent_unit_step,
}
