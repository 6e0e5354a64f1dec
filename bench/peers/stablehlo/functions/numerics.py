"""Signal transforms, linear solvers, special functions."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import fft as sfft
from jax.scipy import linalg as slinalg
from jax.scipy import optimize, signal, special
from jax.scipy.sparse import linalg as iterative
from program import Program

from .drawing import c128, c64, f64, gradient, spd, value


def signals() -> Iterator[Program]:
    row = lambda draw: (draw(64),)  # noqa: E731
    yield gradient("spectral_derivative", lambda x: jnp.fft.irfft(1j * jnp.arange(33) * jnp.fft.rfft(x)), row)
    yield value("poisson_fft", lambda b: jnp.fft.ifft2(jnp.fft.fft2(b) / (4 - 2 * jnp.cos(jnp.fft.fftfreq(8) * 2 * jnp.pi)[:, None] - 2 * jnp.cos(jnp.fft.fftfreq(12) * 2 * jnp.pi) + 1e-2)).real, lambda draw: (draw(8, 12),))
    yield value("fft_4d", lambda x: (jnp.fft.fftn(x, axes=(1, 2, 3)), jnp.fft.rfftn(x.real, axes=(1, 2, 3)), jnp.fft.irfftn(x, axes=(2, 3)), jnp.fft.fftn(x)), lambda draw: (draw(2, 3, 4, 5, dtype=c64),))
    yield value("fftshift", lambda x: (jnp.fft.fftshift(x), jnp.fft.ifftshift(x, 0), jnp.fft.hfft(x), jnp.fft.ihfft(x.real)), lambda draw: (draw(5, 6, dtype=c64),))
    for n in (1, 2, 3):
        yield value(f"dct_{n}", lambda x: (sfft.dct(x), sfft.idct(x), sfft.dctn(x, norm="ortho")), lambda draw, n=n: (draw(3, 4 * n + 1),))
    yield gradient("stft", lambda x: jnp.abs(signal.stft(x, nperseg=16)[2]) ** 2, row)
    yield value("istft", lambda x: signal.istft(signal.stft(x, nperseg=16)[2], nperseg=16)[1], row)
    yield value("welch", lambda x: signal.welch(x, nperseg=16), row)
    yield gradient("fftconvolve", lambda x, k: (signal.fftconvolve(x, k, mode="same"), signal.convolve(x, k), signal.correlate(x, k)), lambda draw: (draw(30), draw(7)))
    yield gradient("convolve2d", lambda x, k: (signal.convolve2d(x, k), signal.correlate2d(x, k, mode="same")), lambda draw: (draw(8, 7), draw(3, 4)))
    yield value("detrend", lambda x: signal.detrend(x, type="constant"), row)
    yield value("hilbert", lambda x: jnp.fft.ifft(jnp.fft.fft(x) * jnp.where(jnp.arange(64) < 32, 2.0, 0.0)), row)
    yield gradient("autocorrelation", lambda x: jnp.fft.irfft(jnp.abs(jnp.fft.rfft(x, 128)) ** 2)[:16], row)
    yield value("periodogram_peaks", lambda x: lax.top_k(jnp.abs(jnp.fft.rfft(x * jnp.hanning(64))) ** 2, 3), row)
    yield gradient("fft_x64", lambda x: jnp.abs(jnp.fft.fft(x, axis=0)) ** 2, lambda draw: (draw(30, 3, dtype=c128),), x64=True)
    yield gradient("savgol", lambda x: jax.vmap(lambda i: lax.dynamic_slice(x, (i,), (5,)) @ jnp.array([-3, 12, 17, 12, -3.0]) / 35)(jnp.arange(60)), row)
    yield value("frames", lambda x: (x[jnp.arange(0, 49, 8)[:, None] + jnp.arange(16)] * jnp.hanning(16)).sum(0), row)


def cg_normal(a, b):
    return iterative.cg(lambda v: a @ v, b, maxiter=6)[0]


@jax.custom_jvp
def sqrt_newton(x):
    return lax.while_loop(lambda s: jnp.max(jnp.abs(s * s - x)) > 1e-5, lambda s: 0.5 * (s + x / s), jnp.ones_like(x))


sqrt_newton.defjvp(lambda p, t: (sqrt_newton(p[0]), t[0] / (2 * sqrt_newton(p[0]))))


@jax.custom_vjp
def fixed_point(w, x):
    return lax.fori_loop(0, 30, lambda i, z: jnp.tanh(w @ z + x), jnp.zeros_like(x))


def fixed_point_bwd(res, g):
    w, x, z = res
    _, pull = jax.vjp(lambda z: jnp.tanh(w @ z + x), z)
    u = lax.fori_loop(0, 30, lambda i, u: g + pull(u)[0], g)
    return jax.vjp(lambda w, x: jnp.tanh(w @ z + x), w, x)[1](u)


fixed_point.defvjp(lambda w, x: (lambda z: (z, (w, x, z)))(fixed_point(w, x)), fixed_point_bwd)


def gram_schmidt(a):
    def step(q, i):
        v = a[:, i] - q @ (q.T @ a[:, i])
        q = q.at[:, i].set(v / jnp.linalg.norm(v))
        return q, jnp.linalg.norm(v)
    return lax.scan(step, jnp.zeros_like(a), jnp.arange(a.shape[1]))


def bisect(f, lo, hi):
    def step(_, s):
        lo, hi = s
        mid = (lo + hi) / 2
        left = f(lo) * f(mid) <= 0
        return jnp.where(left, lo, mid), jnp.where(left, mid, hi)
    return lax.fori_loop(0, 30, step, (lo, hi))


def solvers() -> Iterator[Program]:
    sys = lambda draw: (spd(draw), draw(4))  # noqa: E731
    yield gradient("cg", cg_normal, sys)
    yield value("bicgstab", lambda a, b: iterative.bicgstab(lambda v: a @ v, b, maxiter=5)[0], sys)
    yield value("bfgs", lambda x: optimize.minimize(lambda v: jnp.sum((v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2), x, method="BFGS", options={"maxiter": 4}).x, lambda draw: (draw(3, low=-0.5, high=0.5),))
    yield gradient("custom_jvp_newton", sqrt_newton, lambda draw: (draw(5, low=0.5, high=4),))
    yield gradient("implicit_fixed_point", fixed_point, lambda draw: (draw(4, 4, low=-0.2, high=0.2), draw(4)))
    yield gradient("custom_root", lambda x: lax.custom_root(lambda y: y**3 - x, x, lambda f, x0: bisect(f, jnp.float32(0), jnp.float32(4))[0], lambda g, y: y / g(jnp.float32(1))), lambda draw: (np.float32(2.5),))
    yield gradient("custom_linear_solve", lambda a, b: lax.custom_linear_solve(lambda v: a @ v, b, lambda mv, b: iterative.cg(mv, b, maxiter=8)[0], symmetric=True), sys)
    yield gradient("gram_schmidt", gram_schmidt, lambda draw: (draw(5, 3),))
    yield value("power_iteration", lambda a: lax.while_loop(lambda s: s[2] < 20, lambda s: (lambda v: (v / jnp.linalg.norm(v), v @ s[0], s[2] + 1))(a @ s[0]), (jnp.ones(4) / 2, jnp.float32(0), 0))[1], lambda draw: (spd(draw),))
    yield gradient("matrix_products", lambda a: (jnp.linalg.matrix_power(a, 5), jnp.linalg.multi_dot([a, a, a[:, :2]])), lambda draw: (draw(3, 3),))
    yield gradient("sinkhorn", lambda c: lax.fori_loop(0, 8, lambda i, s: (lambda u: (u, -nn.logsumexp(u[:, None] - c, 0)))(-nn.logsumexp(s[1][None] - c, 1)), (jnp.zeros(5), jnp.zeros(4))), lambda draw: (draw(5, 4),))
    yield gradient("thomas", lambda d, b: lax.scan(lambda s, x: (x, x), 0.0, lax.scan(lambda s, x: ((1 / (x[0] - s[0]), (x[1] - s[1]) / (x[0] - s[0])),) * 2, (0.0, 0.0), (4 + d, b))[1][1], reverse=True)[1], lambda draw: (draw(6), draw(6)))
    yield value("gauss_jordan", lambda a: lax.fori_loop(0, 4, lambda i, m: (lambda r: jnp.where(jnp.arange(4)[:, None] == i, r, m - m[:, i][:, None] * r))(m[i] / m[i, i]), jnp.concatenate([a, jnp.eye(4)], 1))[:, 4:], lambda draw: (spd(draw),))
    yield value("jacobi_eigenvalues", lambda a: jnp.sort(jnp.diagonal(lax.fori_loop(0, 30, lambda k, a: (lambda i, j: (lambda t: (lambda g: g.T @ a @ g)(jnp.eye(4).at[i, i].set(jnp.cos(t)).at[j, j].set(jnp.cos(t)).at[i, j].set(-jnp.sin(t)).at[j, i].set(jnp.sin(t))))(0.5 * jnp.arctan2(2 * a[i, j], a[i, i] - a[j, j])))(jnp.array([0, 0, 0, 1, 1, 2])[k % 6], jnp.array([1, 2, 3, 2, 3, 3])[k % 6]), a))), lambda draw: (spd(draw),))
    yield value("simplex_projection", lambda v: (lambda u: jnp.maximum(v - (jnp.cumsum(u)[jnp.sum(u * jnp.arange(1, 8) > jnp.cumsum(u) - 1) - 1] - 1) / jnp.sum(u * jnp.arange(1, 8) > jnp.cumsum(u) - 1), 0))(jnp.sort(v)[::-1]), lambda draw: (draw(7),))
    yield gradient("hessian_vector", lambda x, v: jax.jvp(jax.grad(lambda x: jnp.sum(jnp.sin(x[1:]) * x[:-1] ** 2)), (x,), (v,))[1], lambda draw: (draw(5), draw(5)))
    yield value("toeplitz", lambda c: slinalg.toeplitz(c), lambda draw: (draw(4),))


def specials() -> Iterator[Program]:
    p = lambda draw: (draw(6, low=0.3, high=4), draw(6, low=0.3, high=4))  # noqa: E731
    for name, function in {
        "betaln": special.betaln, "beta": special.beta, "gammainc": special.gammainc, "gammaincc": special.gammaincc, "zeta": lambda x, y: special.zeta(x + 1, y), "polygamma": lambda n, x: special.polygamma(1, x),
        "betainc": lambda a, b: special.betainc(2.0, 3.0, a / 5), "kl_div": special.kl_div, "rel_entr": special.rel_entr, "multigammaln": lambda a, b: special.multigammaln(a + 2, 2), "poch": special.poch, "factorial": lambda a, b: special.factorial(a),
        "expi": lambda a, b: special.expi(a), "exp1": lambda a, b: special.exp1(a), "expn": lambda a, b: special.expn(2, a), "i0": lambda a, b: special.i0(a), "i1": lambda a, b: special.i1(a), 
        "spence": lambda a, b: special.spence(a), "bernoulli": lambda a, b: special.bernoulli(6), "hyp1f1": lambda a, b: special.hyp1f1(1.2, 2.3, a / 4), "log_softmax": lambda a, b: special.log_softmax(a), "logsumexp_b": lambda a, b: special.logsumexp(a, b=b, return_sign=True)[0],
        "fresnel": lambda a, b: special.fresnel(a), "legendre": lambda a, b: jnp.polyval(jnp.array([2.5, 0, -1.5, 0]), a / 4),
    }.items():
        yield (value if name in ("bernoulli", "zeta", "polygamma", "factorial", "poch", "sph_harm", "hyp1f1", "spence", "expn") else gradient)(f"special_{name}", function, p)
    yield value("gammas_x64", lambda a, b: (special.gammainc(a, b), special.betainc(a, b, 0.3), special.digamma(a), special.gammaln(a), special.erfinv(a / 5), special.ndtri(b / 5)), lambda draw: (draw(6, dtype=f64, low=0.3, high=4), draw(6, dtype=f64, low=0.3, high=4)), x64=True)
    yield gradient("chebyshev", lambda c, x: lax.scan(lambda s, c: ((c - s[1] + 2 * x * s[0], s[0]), None), (jnp.zeros_like(x), jnp.zeros_like(x)), c, reverse=True)[0], lambda draw: (draw(5), draw(4, low=-1, high=1)))
    yield gradient("quadrature", lambda a: jnp.sum(jnp.array([0.2369, 0.4786, 0.5689, 0.4786, 0.2369]) * jnp.exp(-a[:, None] * jnp.array([-0.9062, -0.5385, 0, 0.5385, 0.9062]) ** 2), 1), lambda draw: (draw(4),))
    yield gradient("polynomials", lambda p, q: (jnp.polymul(p, q), jnp.polyadd(p, q), jnp.polyder(p), jnp.polyint(q), jnp.polysub(p, q)), lambda draw: (draw(4), draw(3)))
    yield gradient("einsums", lambda a, b, c: (jnp.einsum("ij,jk,kl->il", a, b, c), jnp.einsum("ij,ij->j", a, a), jnp.einsum("ii->i", b), jnp.einsum("ij,kl->ikjl", a, c), jnp.einsum("...ij->...ji", a)), lambda draw: (draw(3, 4), draw(4, 4), draw(4, 2)))
    yield gradient("quaternions", lambda q, v: (lambda w, u: v + 2 * w * jnp.cross(u, v) + 2 * jnp.cross(u, jnp.cross(u, v)))(q[0], q[1:]), lambda draw: (draw(4), draw(3)))
    yield value("qubits", lambda s: lax.fori_loop(0, 3, lambda i, s: jnp.einsum("ab,cbd->cad", jnp.array([[1, 1], [1, -1]]) / jnp.sqrt(2.0) * (1 + 0j), s.reshape(2, 2, 2)).reshape(8) * jnp.exp(1j * jnp.arange(8)), s), lambda draw: (draw(8, dtype=c64),))
    yield gradient("complex_gradient", lambda z: jnp.abs(jnp.sin(z) / (z * z + 2) + jnp.power(z, 1.5)) ** 2, lambda draw: (draw(5, dtype=c64),))
    yield value("cplx_linalg", lambda a: (a @ a.conj().T, jnp.linalg.norm(a), jnp.trace(a), jnp.vdot(a, a), jnp.einsum("ij,jk->ik", a, a[::-1])), lambda draw: (draw(4, 4, dtype=c64),))
