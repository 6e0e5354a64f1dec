"""Sequences, small linear algebra, sampling and integers."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from networks import cross_entropy, dense, descend
from program import chaotic_program, program

KEY = np.array([0, 7], np.uint32)


@program
def gated_units(source):
    """A training step of a classifier with gated recurrent units over 40 time steps."""
    width = 64
    parameters = {"in": source.normal(16, 3 * width, scale=0.2), "back": source.normal(width, 3 * width, scale=0.1),
                  "out": source.normal(width, 5, scale=0.1)}

    def loss(parameters, x, y):
        def step(h, x):
            a, b = x @ parameters["in"], h @ parameters["back"]
            r, z = jax.nn.sigmoid(a[:, :width] + b[:, :width]), jax.nn.sigmoid(a[:, width:-width] + b[:, width:-width])
            n = jnp.tanh(a[:, -width:] + r * b[:, -width:])
            return (1 - z) * n + z * h, None

        h, _ = jax.lax.scan(step, jnp.zeros((32, width)), x)
        return cross_entropy(h @ parameters["out"], y)

    return descend(loss), (parameters, source.normal(40, 32, 16), source.integers(5, 32))


@program
def dilated_convolutions(source):
    """A training step of a stack of causal convolutions over sound."""
    layers = [source.normal(2, 32, 64, scale=0.1) for _ in range(6)]
    ends = (source.normal(1, 32, scale=0.5), source.normal(32, 1, scale=0.1))

    def loss(parameters, x):
        layers, (first, last) = parameters
        h = x[:, :-1] @ first
        for i, w in enumerate(layers):
            far = jnp.pad(h, ((0, 0), (2**i, 0), (0, 0)))[:, : h.shape[1]]
            a = far @ w[0] + h @ w[1]
            h = h + jnp.tanh(a[..., :32]) * jax.nn.sigmoid(a[..., 32:])
        return jnp.mean((h @ last - x[:, 1:]) ** 2)

    return descend(loss), ((layers, ends), source.normal(4, 1025, 1))


@program
def ensemble_of_networks(source):
    """Sixteen small networks, each with its own data."""
    layers = [(source.normal(16, 12, 32, scale=0.3), source.normal(16, 32)), (source.normal(16, 32, 32, scale=0.2), source.normal(16, 32)),
              (source.normal(16, 32, 1, scale=0.2), source.normal(16, 1))]

    def loss(layers, x, y):
        return jnp.mean((jax.vmap(dense)(layers, x)[..., 0] - y) ** 2)

    return descend(loss), (layers, source.normal(16, 64, 12), source.normal(16, 64))


@program
def jacobians_of_a_network(source):
    layers = source.layers(10, 48, 48, 10)
    return lambda layers, x: jax.vmap(jax.jacfwd(lambda x: dense(layers, x, jnp.tanh)))(x), (layers, source.normal(64, 10))


@program
def laplacian_of_a_network(source):
    """What a network that solves a differential equation needs."""
    layers = source.layers(3, 32, 32, 1)

    def laplacian(layers, x):
        f = lambda x: dense(layers, x, jnp.tanh)[0]
        return jnp.trace(jax.hessian(f)(x))

    return jax.grad(lambda layers, x: jnp.mean(jax.vmap(laplacian, (None, 0))(layers, x) ** 2)), (layers, source.normal(128, 3))


@program
def alignment_of_labels(source):
    """The loss of connectionist temporal classification, and its gradient."""
    batch, time, labels, length = 16, 60, 20, 12

    def loss(logits, wanted):
        log = jax.nn.log_softmax(logits)
        states = jnp.zeros((batch, 2 * length + 1), jnp.int32).at[:, 1::2].set(wanted + 1)
        may_skip = jnp.pad(states[:, 2:] != states[:, :-2], ((0, 0), (2, 0))) & (states > 0)

        def step(alpha, log):
            before = jnp.pad(alpha, ((0, 0), (2, 0)), constant_values=-1e9)
            skip = jnp.where(may_skip, before[:, :-2], -1e9)
            now = jax.nn.logsumexp(jnp.stack([before[:, 2:], before[:, 1:-1], skip]), 0)
            return now + jnp.take_along_axis(log, states, 1), None

        first = jnp.full((batch, 2 * length + 1), -1e9).at[:, 0].set(0.0)
        alpha, _ = jax.lax.scan(step, first, log.transpose(1, 0, 2))
        return -jnp.mean(jnp.logaddexp(alpha[:, -1], alpha[:, -2]))

    return jax.value_and_grad(loss), (source.normal(batch, time, labels + 1), source.integers(labels, batch, length))


@program
def local_alignment(source):
    """Smith and Waterman's table, one diagonal after another, for 32 pairs."""

    def score(a, b):
        n = a.shape[0]

        def diagonal(state, d):
            last, before, best = state
            i = jnp.arange(n)
            j = d - i
            same = jnp.where((j >= 0) & (j < n), jnp.where(a == b[jnp.clip(j, 0, n - 1)], 2.0, -1.0), -1e9)
            from_corner = jnp.concatenate([jnp.zeros(1), before[:-1]]) + same
            gap = jnp.maximum(last, jnp.concatenate([jnp.zeros(1), last[:-1]])) - 1.0
            now = jnp.maximum(0.0, jnp.maximum(from_corner, gap))
            return (now, last, jnp.maximum(best, now.max())), None

        start = (jnp.zeros(n), jnp.zeros(n), jnp.float32(0))
        return jax.lax.scan(diagonal, start, jnp.arange(2 * n - 1))[0][2]

    return jax.vmap(score), (source.integers(4, 32, 60), source.integers(4, 32, 60))


@chaotic_program
def beams(source):
    """Beam search with a small model of pairs of letters."""
    letters, width, batch = 50, 8, 16

    def search(table, first):
        def step(state, _):
            scores, last = state
            all = scores[:, :, None] + jax.nn.log_softmax(table)[last]
            scores, place = jax.lax.top_k(all.reshape(batch, -1), width)
            return (scores, place % letters), (place // letters, place % letters)

        start = (jnp.full((batch, width), -1e9).at[:, 0].set(0.0), jnp.tile(first[:, None], (1, width)))
        return jax.lax.scan(step, start, None, 25)

    return search, (source.normal(letters, letters), source.integers(letters, batch))


@program
def small_systems(source):
    """Solves 200 systems of 24 equations, and their determinants."""

    def run(a, b):
        a = a @ a.transpose(0, 2, 1) + jnp.eye(24)
        return jnp.linalg.solve(a, b[..., None])[..., 0], jnp.linalg.slogdet(a)[1]

    return run, (source.normal(200, 24, 24), source.normal(200, 24))


@program
def regulator(source):
    """The Riccati recursion of a linear regulator, for 50 systems."""

    def gains(a, b):
        q, r = jnp.eye(6), 0.1 * jnp.eye(2)

        def step(p, _):
            k = jnp.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
            p = q + a.T @ p @ (a - b @ k)
            return p, k

        return jax.lax.scan(step, q, None, 30)[1][-1]

    return jax.vmap(gains), (source.normal(50, 6, 6, scale=0.3), source.normal(50, 6, 2))


@program
def strange_attractors(source):
    """Lorenz's equations, 64 of them, by Runge and Kutta's method."""

    def slope(s):
        x, y, z = s[:, 0], s[:, 1], s[:, 2]
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], 1)

    def step(s, _):
        h = 0.005
        a = slope(s)
        b = slope(s + h / 2 * a)
        c = slope(s + h / 2 * b)
        d = slope(s + h * c)
        s = s + h / 6 * (a + 2 * b + 2 * c + d)
        return s, s[:, 2].mean()

    return lambda s: jax.lax.scan(step, s, None, 300), (source.normal(64, 3),)


@program
def wave_packet(source):
    """Schrodinger's equation, by steps in space and in frequency."""
    n = 512
    k = (2 * np.pi * np.fft.fftfreq(n, 0.1)).astype(np.float32)
    x = (0.1 * (np.arange(n) - n / 2)).astype(np.float32)

    def run(height):
        psi = jnp.exp(-(((x + 10) / 2) ** 2) + 3j * x).astype(jnp.complex64)
        barrier = jnp.exp(-0.01j * jnp.where(jnp.abs(x) < 1, height, 0.0))
        free = jnp.exp(-0.005j * k**2)
        return jnp.abs(jax.lax.fori_loop(0, 100, lambda _, p: jnp.fft.ifft(free * jnp.fft.fft(barrier * p)), psi)) ** 2

    return run, (np.float32(4),)


@program
def quantiles_and_ranks(source):
    def run(x):
        ranks = jnp.argsort(jnp.argsort(x, 1), 1)
        return jnp.quantile(x, jnp.array([0.1, 0.5, 0.9]), axis=1), jnp.median(x, 0), jnp.corrcoef(ranks.astype(jnp.float32))

    return run, (source.normal(40, 2000),)


@program
def tables_by_keys(source):
    """Sums, means and extremes of groups, as of a table of sales."""

    def run(keys, values):
        sums = jax.ops.segment_sum(values, keys, 500)
        counts = jax.ops.segment_sum(jnp.ones_like(values), keys, 500)
        most = jax.ops.segment_max(values, keys, 500)
        order = jnp.lexsort((values, keys))
        running = jnp.cumsum(values[order])
        return sums / jnp.maximum(counts, 1), most, running, jnp.searchsorted(keys[order], jnp.arange(500))

    return run, (source.integers(500, 20000), source.normal(20000))


@program
def mixed_hashes(source):
    """Integers of 32 bits through rounds of shifts and multiplications."""

    def run(x):
        def round(_, x):
            x = (x ^ (x >> 16)) * np.uint32(0x7FEB352D)
            x = (x ^ (x >> 15)) * np.uint32(0x846CA68B)
            return x ^ (x >> 16) ^ jnp.roll(x, 1)

        return jax.lax.fori_loop(0, 20, round, x), jax.lax.population_count(x).sum()

    return run, (source.integers(2**31 - 1, 50000).astype(np.uint32),)


@program
def random_walks(source):
    def run(key):
        steps = jax.random.choice(key, jnp.array([-1.0, 0.0, 1.0]), (1000, 500), p=jnp.array([0.3, 0.4, 0.3]))
        walks = jnp.cumsum(steps, 1)
        return walks.max(1).mean(), jnp.argmax(walks > 10, 1).mean(), jax.random.permutation(key, 1000)

    return run, (KEY,)


@chaotic_program
def chains_of_metropolis(source):
    """Two hundred chains of Metropolis' algorithm for a bimodal density."""

    def run(x, key):
        density = lambda x: jnp.logaddexp(-0.5 * ((x - 2) ** 2).sum(-1), -0.5 * ((x + 2) ** 2).sum(-1))

        def step(x, key):
            move, accept = jax.random.split(key)
            y = x + 0.8 * jax.random.normal(move, x.shape)
            goes = jnp.log(jax.random.uniform(accept, x.shape[:1])) < density(y) - density(x)
            x = jnp.where(goes[:, None], y, x)
            return x, x.mean()

        return jax.lax.scan(step, x, jax.random.split(key, 100))

    return run, (source.normal(200, 4), KEY)


@program
def spikes(source):
    """Neurons that integrate and fire, with sparse connections."""

    def run(w, drive):
        def step(state, input):
            v, spikes = state
            v = 0.9 * v + input + spikes @ w
            spikes = (v > 1).astype(jnp.float32)
            return (v * (1 - spikes), spikes), spikes.sum()

        return jax.lax.scan(step, (jnp.zeros(256), jnp.zeros(256)), drive)[1]

    return run, (source.normal(256, 256, scale=0.05) * (source.uniform(256, 256) < 0.1), source.normal(200, 256, scale=0.4))


@program
def rotations_in_space(source):
    """Quaternions turned into matrices, applied to points, and their gradient."""

    def loss(q, points, wanted):
        q = q / jnp.linalg.norm(q, axis=-1, keepdims=True)
        w, x, y, z = jnp.moveaxis(q, -1, 0)
        rows = jnp.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
                          1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
                          1 - 2 * (x * x + y * y)], -1).reshape(-1, 3, 3)
        return jnp.mean((jnp.einsum("nij,nkj->nki", rows, points) - wanted) ** 2)

    return jax.value_and_grad(loss), (source.normal(2000, 4), source.normal(2000, 20, 3), source.normal(2000, 20, 3))


@program
def curves_by_points(source):
    """Interpolates, integrates and fits polynomials."""

    def run(x, xs, ys):
        y = jnp.interp(x, jnp.sort(xs), ys)
        area = jnp.trapezoid(y, jnp.sort(x))
        return y, area, jnp.polyfit(xs, ys, 4), jnp.polyval(ys[:6], x)

    return run, (source.uniform(20000), source.uniform(200), source.normal(200))


@partial(program, tolerance=2e-2)
def low_precision(source):
    """A training step in 16 bits with weights in 32; biases that were zero are gradients after it."""
    layers = source.layers(256, 512, 512, 10)

    def loss(layers, x, y):
        small = jax.tree.map(lambda p: p.astype(jnp.bfloat16), layers)
        return cross_entropy(dense(small, x.astype(jnp.bfloat16)).astype(jnp.float32), y)

    return descend(loss), (layers, source.normal(256, 256), source.integers(10, 256))
