"""Training steps and inference of neural networks."""

import jax
import jax.numpy as jnp
import numpy as np
from program import program


def dense(layers, x, activation=jax.nn.relu):
    for w, b in layers[:-1]:
        x = activation(x @ w + b)
    w, b = layers[-1]
    return x @ w + b


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], axis=-1))


def descend(loss, rate=1e-3):
    """Returns a step of gradient descent, which also returns the loss."""

    def step(parameters, *batch):
        value, gradients = jax.value_and_grad(loss)(parameters, *batch)
        return jax.tree.map(lambda p, g: p - rate * g, parameters, gradients), value

    return step


def adam(loss, rate=1e-3):
    def step(parameters, moments, count, *batch):
        value, gradients = jax.value_and_grad(loss)(parameters, *batch)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)
        scale = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        parameters = jax.tree.map(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + 1e-8), parameters, first, second)
        return parameters, (first, second), count + 1, value

    return step


def zeros_like(parameters):
    return jax.tree.map(np.zeros_like, parameters)


@program
def mlp_adam(source):
    layers = source.layers(784, 512, 256, 10)
    step = adam(lambda layers, x, y: cross_entropy(dense(layers, x), y))
    return step, (layers, (zeros_like(layers), zeros_like(layers)), np.float32(1), source.normal(128, 784), source.integers(10, 128))


@program
def mlp_inference_of_one_row(source):
    return lambda layers, x: dense(layers, x, jnp.tanh), (source.layers(17, 64, 64, 6), source.normal(1, 17))


def convolve(x, w, stride=1, groups=1):
    return jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                        feature_group_count=groups)


def batch_norm(x, scale, shift):
    mean, variance = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + shift


@program
def residual_network(source):
    width, ones, nulls = 32, np.ones(32, np.float32), np.zeros(32, np.float32)
    parameters = {"first": source.normal(3, 3, 3, width, scale=0.2), "last": source.normal(width, 10, scale=0.1),
                  "blocks": [[(source.normal(3, 3, width, width, scale=0.06), ones, nulls) for _ in range(2)] for _ in range(3)]}

    def loss(parameters, x, y):
        x = convolve(x, parameters["first"])
        for (w, a, b), (v, c, d) in parameters["blocks"]:
            x = jax.nn.relu(x + batch_norm(convolve(jax.nn.relu(batch_norm(convolve(x, w), a, b)), v), c, d))
        return cross_entropy(jnp.mean(x, (1, 2)) @ parameters["last"], y)

    return descend(loss), (parameters, source.normal(16, 32, 32, 3), source.integers(10, 16))


@program
def mobile_network(source):
    """Depthwise convolutions with pointwise products, inference."""
    blocks = [(source.normal(3, 3, 1, 64, scale=0.3), source.normal(64, 64, scale=0.1)) for _ in range(4)]

    def apply(blocks, x):
        for depthwise, pointwise in blocks:
            x = jax.nn.relu6(convolve(x, depthwise, groups=64)) @ pointwise
        return jnp.mean(x, (1, 2))

    return apply, (blocks, source.normal(8, 28, 28, 64))


@program
def lstm(source):
    width = 64
    parameters = {"w": source.normal(32 + width, 4 * width, scale=0.1), "b": np.zeros(4 * width, np.float32), "out": source.normal(width, 10, scale=0.1)}

    def loss(parameters, sequences, y):
        def cell(state, x):
            h, c = state
            i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ parameters["w"] + parameters["b"], 4, -1)
            c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), None

        start = jnp.zeros((sequences.shape[1], width))
        (h, _), _ = jax.lax.scan(cell, (start, start), sequences)
        return cross_entropy(h @ parameters["out"], y)

    return descend(loss), (parameters, source.normal(50, 32, 32), source.integers(10, 32))


def layer_norm(x):
    return (x - jnp.mean(x, -1, keepdims=True)) * jax.lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-5)


def attend(q, k, v, mask=None):
    scores = jnp.einsum("bthd,bshd->bhts", q, k) * q.shape[-1] ** -0.5
    scores = scores if mask is None else jnp.where(mask, scores, -1e9)
    return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores), v)


def transformer(blocks, x, heads, mask=None):
    batch, length, width = x.shape
    for qkv, out, up, down in blocks:
        q, k, v = jnp.split((layer_norm(x) @ qkv).reshape(batch, length, heads, -1), 3, -1)
        x = x + attend(q, k, v, mask).reshape(batch, length, width) @ out
        x = x + jax.nn.gelu(layer_norm(x) @ up) @ down
    return layer_norm(x)


def transformer_blocks(source, count, width):
    return [tuple(source.normal(a, b, scale=0.5 * a**-0.5) for a, b in ((width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)))
            for _ in range(count)]


@program
def language_model(source):
    length, width = 64, 128
    parameters = {"embed": source.normal(256, width, scale=0.1), "places": source.normal(length, width, scale=0.1),
                  "blocks": transformer_blocks(source, 4, width)}
    mask = np.tril(np.ones((length, length), bool))

    def loss(parameters, tokens):
        x = parameters["embed"][tokens[:, :-1]] + parameters["places"]
        return cross_entropy(transformer(parameters["blocks"], x, 4, mask) @ parameters["embed"].T, tokens[:, 1:])

    return (adam(loss), (parameters, (zeros_like(parameters), zeros_like(parameters)), np.float32(1), source.integers(256, 8, length + 1)))


@program
def vision_transformer(source):
    parameters = {"patch": source.normal(48, 96, scale=0.1), "places": source.normal(64, 96, scale=0.1),
                  "blocks": transformer_blocks(source, 3, 96), "out": source.normal(96, 10, scale=0.1)}

    def loss(parameters, images, y):
        patches = images.reshape(-1, 8, 4, 8, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(-1, 64, 48)
        x = transformer(parameters["blocks"], patches @ parameters["patch"] + parameters["places"], 3)
        return cross_entropy(jnp.mean(x, 1) @ parameters["out"], y)

    return descend(loss), (parameters, source.normal(16, 32, 32, 3), source.integers(10, 16))


@program
def decoding_with_a_cache(source):
    """Generates 32 tokens, one after another, with a loop in the program."""
    width, heads, length = 128, 4, 64
    parameters = {"embed": source.normal(256, width), "blocks": transformer_blocks(source, 2, width)}

    def generate(parameters, token):
        caches = [jnp.zeros((2, 1, length, heads, width // heads)) for _ in parameters["blocks"]]

        def body(i, state):
            tokens, caches = state
            x = parameters["embed"][tokens[:, i]][:, None]
            written = []
            for (qkv, out, up, down), cache in zip(parameters["blocks"], caches):
                q, k, v = jnp.split((layer_norm(x) @ qkv).reshape(1, 1, heads, -1), 3, -1)
                cache = jax.lax.dynamic_update_slice(cache, jnp.stack([k, v]), (0, 0, i, 0, 0))
                x = x + attend(q, cache[0], cache[1], jnp.arange(length) <= i).reshape(1, 1, width) @ out
                x = x + jax.nn.gelu(layer_norm(x) @ up) @ down
                written.append(cache)
            following = jnp.argmax(layer_norm(x)[:, 0] @ parameters["embed"].T, -1).astype(jnp.int32)
            return tokens.at[:, i + 1].set(following), written

        tokens = jnp.zeros((1, length), jnp.int32).at[:, 0].set(token)
        return jax.lax.fori_loop(0, 32, body, (tokens, caches))[0]

    return generate, (parameters, np.int32(17))


@program
def variational_autoencoder(source):
    parameters = {"encode": source.layers(784, 256, 40), "decode": source.layers(20, 256, 784)}

    def loss(parameters, x, key):
        mean, log_variance = jnp.split(dense(parameters["encode"], x), 2, -1)
        z = mean + jnp.exp(0.5 * log_variance) * jax.random.normal(key, mean.shape)
        logits = dense(parameters["decode"], z)
        reconstruction = jnp.sum(jnp.maximum(logits, 0) - logits * x + jnp.log1p(jnp.exp(-jnp.abs(logits))), -1)
        divergence = -0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance), -1)
        return jnp.mean(reconstruction + divergence)

    return descend(loss), (parameters, source.uniform(64, 784), np.array([0, 7], np.uint32))


@program
def generator_and_critic(source):
    """Both losses of an adversarial pair with a gradient penalty, which needs a gradient of a gradient."""
    parameters = (source.layers(16, 128, 2), source.layers(2, 128, 128, 1))

    def loss(parameters, noise, real):
        generator, critic = parameters
        fake = dense(generator, noise)
        slopes = jax.vmap(jax.grad(lambda x: dense(critic, x, jnp.tanh)[0]))(0.5 * (fake + real))
        penalty = jnp.mean((jnp.linalg.norm(slopes, axis=-1) - 1) ** 2)
        return jnp.mean(dense(critic, fake, jnp.tanh)) - jnp.mean(dense(critic, real, jnp.tanh)) + 10 * penalty

    return descend(loss), (parameters, source.normal(256, 16), source.normal(256, 2))


@program
def graph_convolution(source):
    nodes, edges = 5000, 40000
    parameters = [source.normal(64, 64, scale=0.1), source.normal(64, 7, scale=0.1)]

    def loss(parameters, x, senders, receivers, y):
        degree = jax.ops.segment_sum(jnp.ones(edges), receivers, nodes) + 1
        for i, w in enumerate(parameters):
            h = x @ w
            h = (h + jax.ops.segment_sum(h[senders], receivers, nodes)) / degree[:, None]
            x = jax.nn.relu(h) if i == 0 else h
        return cross_entropy(x, y)

    return (descend(loss), (parameters, source.normal(nodes, 64), source.integers(nodes, edges), source.integers(nodes, edges), source.integers(7, nodes)))


@program
def ranking_model(source):
    """Pooled embeddings, products of all pairs, a dense network; the gradient of the tables is dense."""
    parameters = {"tables": source.normal(8, 10000, 16, scale=0.1), "bottom": source.layers(13, 64, 16), "top": source.layers(16 + 36, 64, 1)}
    upper = np.triu_indices(9, 1)

    def loss(parameters, numbers, ids, clicks):
        x = dense(parameters["bottom"], numbers)
        rows = jax.vmap(lambda table, i: jnp.sum(table[i], 1), (0, 1), 1)(parameters["tables"], ids)
        all_rows = jnp.concatenate([x[:, None], rows], 1)
        pairs = jnp.einsum("bif,bjf->bij", all_rows, all_rows)[:, upper[0], upper[1]]
        logits = dense(parameters["top"], jnp.concatenate([x, pairs], -1))[:, 0]
        return jnp.mean(jnp.logaddexp(0.0, logits) - clicks * logits)

    return (descend(loss, 0.1), (parameters, source.normal(512, 13), source.integers(10000, 512, 8, 4), source.integers(2, 512).astype(np.float32)))


@program
def mixture_of_experts(source):
    experts, width = 8, 64
    parameters = {"gate": source.normal(width, experts, scale=0.1), "up": source.normal(experts, width, 128, scale=0.1),
                  "down": source.normal(experts, 128, width, scale=0.1)}

    def loss(parameters, x, target):
        chances = jax.nn.softmax(x @ parameters["gate"])
        top, which = jax.lax.top_k(chances, 2)
        gates = jnp.sum(jax.nn.one_hot(which, experts) * top[..., None], 1)
        hidden = jax.nn.silu(jnp.einsum("nd,edh->neh", x, parameters["up"]))
        out = jnp.einsum("neh,ehd,ne->nd", hidden, parameters["down"], gates)
        return jnp.mean((out - target) ** 2) + 0.01 * jnp.sum(jnp.mean(chances, 0) ** 2)

    return descend(loss), (parameters, source.normal(256, width), source.normal(256, width))


@program
def contrastive_pairs(source):
    parameters = (source.layers(128, 256, 64), source.layers(96, 256, 64))

    def loss(parameters, x, y):
        a, b = (v / jnp.linalg.norm(v, axis=-1, keepdims=True) for v in (dense(parameters[0], x), dense(parameters[1], y)))
        scores, labels = a @ b.T / 0.07, jnp.arange(x.shape[0])
        return 0.5 * (cross_entropy(scores, labels) + cross_entropy(scores.T, labels))

    return descend(loss), (parameters, source.normal(256, 128), source.normal(256, 96))


@program
def policy_gradient(source):
    """Proximal policy optimisation: advantages by a backward scan, a clipped ratio, entropy."""
    parameters = {"policy": source.layers(8, 64, 64, 4), "value": source.layers(8, 64, 64, 1)}
    time, actors = 128, 16

    def loss(parameters, states, actions, rewards, old):
        values = dense(parameters["value"], states, jnp.tanh)[..., 0]

        def backward(advantage, inputs):
            reward, value, following = inputs
            advantage = reward + 0.99 * following - value + 0.99 * 0.95 * advantage
            return advantage, advantage

        following = jnp.concatenate([values[1:], jnp.zeros((1, actors))])
        _, advantages = jax.lax.scan(backward, jnp.zeros(actors), (rewards, values, following), reverse=True)
        advantages = jax.lax.stop_gradient((advantages - jnp.mean(advantages)) / (jnp.std(advantages) + 1e-8))
        log_p = jax.nn.log_softmax(dense(parameters["policy"], states, jnp.tanh))
        ratio = jnp.exp(jnp.take_along_axis(log_p, actions[..., None], -1)[..., 0] - old)
        gain = jnp.minimum(ratio * advantages, jnp.clip(ratio, 0.8, 1.2) * advantages)
        entropy = -jnp.sum(jnp.exp(log_p) * log_p, -1)
        returns = jax.lax.stop_gradient(advantages + values)
        return -jnp.mean(gain) + 0.5 * jnp.mean((values - returns) ** 2) - 0.01 * jnp.mean(entropy)

    return (descend(loss), (parameters, source.normal(time, actors, 8), source.integers(4, time, actors), source.normal(time, actors),
                            source.normal(time, actors, scale=0.1) - 1.4))


@program
def neural_field(source):
    """Fits an image by sines of places (SIREN), with the Laplacian of the network in the loss."""
    layers = [(w / 5, b) for w, b in source.layers(2, 64, 64, 1)]

    def loss(layers, places, target):
        field = lambda p: dense(layers, 10 * p, jnp.sin)[0]
        laplacian = jax.vmap(lambda p: jnp.trace(jax.hessian(field)(p)))(places)
        return jnp.mean((jax.vmap(field)(places) - target) ** 2) + 1e-4 * jnp.mean(laplacian**2)

    return descend(loss), (layers, source.uniform(512, 2), source.normal(512))


@program
def state_space_model(source):
    """A linear recurrence of diagonal states by an associative scan (Mamba's core), forward and backward."""
    parameters = {"decay": source.uniform(64, 16), "b": source.normal(64, 16), "c": source.normal(64, 16, scale=0.1)}

    def loss(parameters, x, target):
        a = jnp.broadcast_to(jax.nn.sigmoid(parameters["decay"]), (*x.shape, 16))
        _, states = jax.lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (a, x[..., None] * parameters["b"]))
        return jnp.mean((jnp.sum(states * parameters["c"], -1) - target) ** 2)

    return descend(loss), (parameters, source.normal(256, 64), source.normal(256, 64))
