"""Dynamical systems, and filters over time."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.experimental.ode import odeint
from program import Program

from .drawing import bf16, c64, f16, f32, f64, gradient, i32, u32, u8, value


def rk4(f, y, h, n):
    def step(y, _):
        a = f(y); b = f(y + h / 2 * a); c = f(y + h / 2 * b); d = f(y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
        return y, y
    return lax.scan(step, y, None, length=n)


def lorenz(y):
    return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


def forces(q):
    d = q[:, None] - q[None]
    r2 = jnp.sum(d * d, -1) + 0.1
    return -jnp.sum(d / r2[..., None] ** 1.5, 1)


def leapfrog(q, p):
    def step(s, _):
        q, p = s
        p = p + 0.01 * forces(q); q = q + 0.02 * p; p = p + 0.01 * forces(q)
        return (q, p), 0.5 * jnp.sum(p * p)
    return lax.scan(step, (q, p), None, length=8)


def dynamics() -> Iterator[Program]:
    yield gradient("lorenz", lambda y: rk4(lorenz, y, 0.01, 20), lambda draw: (draw(3),))
    yield gradient("nbody", leapfrog, lambda draw: (draw(6, 3), draw(6, 3)))
    yield value("life", lambda x: lax.fori_loop(0, 5, lambda i, w: (lambda n: ((n == 3) | ((n == 2) & w)))(sum(jnp.roll(w, (i, j), (0, 1)).astype(jnp.int32) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))), x), lambda draw: (draw(9, 9, dtype=bool),))
    yield gradient("heat", lambda u: lax.fori_loop(0, 10, lambda i, u: u + 0.1 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u), u), lambda draw: (draw(8, 8),))
    yield value("jacobi", lambda b: lax.while_loop(lambda s: (s[1] > 1e-3) & (s[2] < 100), lambda s: (lambda n: (n, jnp.max(jnp.abs(n - s[0])), s[2] + 1))(jnp.pad((s[0][2:, 1:-1] + s[0][:-2, 1:-1] + s[0][1:-1, 2:] + s[0][1:-1, :-2]) / 4 + b, 1)), (jnp.zeros((8, 8)), jnp.float32(1), 0))[0], lambda draw: (draw(6, 6),))
    yield gradient("advection", lambda u: lax.scan(lambda u, _: (u - 0.3 * (u - jnp.concatenate([u[-1:], u[:-1]])), jnp.max(u)), u, None, length=6), lambda draw: (draw(16),))
    yield value("kdv", lambda u: lax.fori_loop(0, 4, lambda i, u: jnp.fft.irfft(jnp.exp(1j * 1e-3 * jnp.arange(17) ** 3) * jnp.fft.rfft(u - 0.01 * u * jnp.fft.irfft(1j * jnp.arange(17) * jnp.fft.rfft(u))), 32), u), lambda draw: (draw(32),))
    yield gradient("schroedinger", lambda p: jnp.abs(lax.fori_loop(0, 4, lambda i, p: jnp.fft.ifft(jnp.exp(-1j * 0.05 * jnp.fft.fftfreq(16) ** 2) * jnp.fft.fft(p * jnp.exp(-1j * 0.1 * jnp.linspace(-1, 1, 16) ** 2))), p)) ** 2, lambda draw: (draw(16, dtype=c64),))
    yield gradient("pendulum_odeint", lambda y: odeint(lambda y, t: jnp.stack([y[1], -jnp.sin(y[0])]), y, jnp.linspace(0.0, 1.0, 4)), lambda draw: (draw(2),))
    yield gradient("lotka_volterra_x64", lambda y: rk4(lambda y: jnp.stack([y[0] * (1 - y[1]), y[1] * (y[0] - 1)]), jnp.exp(y), 0.1, 15), lambda draw: (draw(2, dtype=f64),), x64=True)
    yield value("ising", lambda s, k: lax.scan(lambda s, k: (jnp.where(jax.random.uniform(jax.random.wrap_key_data(k), s.shape) < nn.sigmoid(0.8 * sum(jnp.roll(s, d, a) for d in (1, -1) for a in (0, 1))), 1, -1), s.sum()), s, k), lambda draw: (np.where(draw(6, 6, dtype=bool), 1, -1).astype(i32), draw.generator.integers(0, 2**32, (4, 2), dtype=u32)))
    yield value("cellular_automaton", lambda x: lax.scan(lambda c, _: ((lambda i: (jnp.uint8(110) >> i) & 1)(4 * jnp.roll(c, 1) + 2 * c + jnp.roll(c, -1)).astype(jnp.uint8), c), x, None, length=6)[1], lambda draw: (draw(21, dtype=u8, low=0, high=1),))
    yield value("metropolis", lambda x, k: lax.scan(lambda x, k: (lambda y, u: (lambda z: (z, z))(jnp.where(jnp.log(u) < (x * x - y * y) / 2, y, x)))(x + jax.random.normal(jax.random.wrap_key_data(k), ()), jax.random.uniform(jax.random.fold_in(jax.random.wrap_key_data(k), 1), ())), x, k), lambda draw: (np.float32(0.3), draw.generator.integers(0, 2**32, (9, 2), dtype=u32)))


def forward_backward(logits, transition):
    a = nn.log_softmax(transition)
    alpha, alphas = lax.scan(lambda al, o: (lambda n: (n, n))(o + nn.logsumexp(al[:, None] + a, 0)), logits[0], logits[1:])
    _, betas = lax.scan(lambda be, o: (lambda n: (n, n))(nn.logsumexp(a + o + be, 1)), jnp.zeros_like(logits[0]), logits[1:], reverse=True)
    return nn.logsumexp(alpha), alphas + jnp.concatenate([betas[1:], jnp.zeros((1, 3))])


def viterbi(logits, transition):
    best, back = lax.scan(lambda v, o: (jnp.max(v[:, None] + transition, 0) + o, jnp.argmax(v[:, None] + transition, 0)), logits[0], logits[1:])
    _, path = lax.scan(lambda s, b: (b[s], b[s]), jnp.argmax(best), back, reverse=True)
    return best, path


def filters() -> Iterator[Program]:
    mats = lambda draw: (draw(7, 3, 3, low=-0.6, high=0.6),)  # noqa: E731
    yield gradient("forward_backward", forward_backward, lambda draw: (draw(6, 3), draw(3, 3)))
    yield value("viterbi", viterbi, lambda draw: (draw(8, 4), draw(4, 4)))
    yield gradient("matrix_scan", lambda a: lax.associative_scan(jnp.matmul, a), mats)
    yield gradient("matrix_scan_reverse", lambda a: lax.associative_scan(lambda x, y: y @ x, a, reverse=True), mats)
    yield gradient("affine_scan_reverse", lambda a, b: lax.associative_scan(lambda l, r: (r[0] @ l[0], (r[0] @ l[1][..., None])[..., 0] + r[1]), (a, b), reverse=True), lambda draw: (draw(6, 2, 2), draw(6, 2)))
    yield gradient("matrix_scan_c64", lambda a: lax.associative_scan(jnp.matmul, a, reverse=True), lambda draw: (draw(5, 2, 2, dtype=c64, low=-0.7, high=0.7),))
    yield gradient("max_plus_scan", lambda a: lax.associative_scan(lambda x, y: jnp.max(x[..., :, :, None] + y[..., None, :, :], -2), a, reverse=True), mats)
    for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
        for dtype in (f32, bf16, f16):
            yield gradient(f"reverse_{name}_{dtype.name}", lambda x, n=name: getattr(lax, n)(x, axis=0, reverse=True), lambda draw, d=dtype: (draw(17, 2, dtype=d),))
    yield gradient("reversed_batch_product", lambda a, b: (a[::-1] @ b, a @ b[::-1, :, ::-1], a[:, ::-1] @ b, jnp.einsum("bij,bkj->bik", a[::-1], b)), lambda draw: (draw(3, 4, 4), draw(3, 4, 4)))
    yield gradient("gru", lambda x, w, u: lax.scan(lambda h, x: (lambda g: (lambda h: (h, h))((1 - nn.sigmoid(g[:4])) * h + nn.sigmoid(g[:4]) * jnp.tanh(g[4:8] + nn.sigmoid(g[8:]) * h)))(x @ w + h @ u), jnp.zeros(4), x), lambda draw: (draw(6, 3), draw(3, 12), draw(4, 12)))
    yield gradient("lstm_reverse", lambda x, w: lax.scan(lambda s, x: (lambda z: (lambda c: ((nn.sigmoid(z[12:]) * jnp.tanh(c), c), c))(nn.sigmoid(z[:4]) * s[1] + nn.sigmoid(z[4:8]) * jnp.tanh(z[8:12])))(jnp.concatenate([x, s[0]]) @ w), (jnp.zeros(4), jnp.zeros(4)), x, reverse=True), lambda draw: (draw(5, 3), draw(7, 16)))
    yield gradient("exponential_smoothing", lambda x: lax.scan(lambda c, x: (0.9 * c + 0.1 * x, c), x[0], x[1:]), lambda draw: (draw(12),))
    yield gradient("selective_scan", lambda dt, a, x: lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (jnp.exp(-nn.softplus(dt)[..., None] * jnp.exp(a)), dt[..., None] * x[..., None] * jnp.ones(4)), axis=1), lambda draw: (draw(2, 9, 3), draw(4), draw(2, 9, 3)))
