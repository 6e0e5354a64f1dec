"""Sound, pictures, text and sequences."""

import jax
import jax.numpy as jnp
import numpy as np
from program import program


@program
def spectrogram(source):
    window = np.hanning(512).astype(np.float32)

    def run(sound):
        starts = jnp.arange(0, sound.shape[0] - 512, 128)
        frames = sound[starts[:, None] + jnp.arange(512)] * window
        return jnp.log(jnp.abs(jnp.fft.rfft(frames)) ** 2 + 1e-6)

    return run, (source.normal(65536),)


@program
def edges_of_a_picture(source):
    """Blur, slopes, and suppression of what is not a maximum."""
    blur = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]).astype(np.float32) / 256

    def run(picture):
        filtered = lambda x, k: jax.scipy.signal.convolve2d(x, k, mode="same")
        smooth = filtered(picture, blur)
        dx = filtered(smooth, jnp.array([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]]))
        dy = filtered(smooth, jnp.array([[1.0, 2, 1], [0, 0, 0], [-1, -2, -1]]))
        size = jnp.hypot(dx, dy)
        greatest = jax.lax.reduce_window(size, -jnp.inf, jax.lax.max, (3, 3), (1, 1), "SAME")
        return jnp.where((size == greatest) & (size > 0.1), jnp.arctan2(dy, dx), 0)

    return run, (source.uniform(512, 512),)


@program
def blocks_of_cosines(source):
    """The transform of JPEG with its table, there and back."""
    i = np.arange(8)
    basis = (np.sqrt(np.where(i == 0, 1 / 8, 1 / 4))[:, None] * np.cos((2 * i + 1) * i[:, None] * np.pi / 16)).astype(np.float32)
    table = (10 + 5 * np.add.outer(i, i)).astype(np.float32)

    def run(picture):
        blocks = picture.reshape(64, 8, 64, 8).transpose(0, 2, 1, 3)
        kept = jnp.round(basis @ blocks @ basis.T / table) * table
        return (basis.T @ kept @ basis).transpose(0, 2, 1, 3).reshape(512, 512)

    return run, (source.uniform(512, 512, high=255),)


@program
def resized_pictures(source):
    def run(pictures):
        small = jax.image.resize(pictures, (8, 112, 112, 3), "bilinear")
        return (small - jnp.mean(small, (1, 2), keepdims=True)) / jnp.std(small, (1, 2), keepdims=True)

    return run, (source.uniform(8, 256, 256, 3),)


@program
def median_filter(source):
    def run(picture):
        padded = jnp.pad(picture, 1, "edge")
        around = jnp.stack([padded[i : i + 256, j : j + 256] for i in range(3) for j in range(3)], -1)
        return jnp.sort(around, -1)[..., 4]

    return run, (source.uniform(256, 256),)


@program
def equalised_histogram(source):
    def run(picture):
        counts = jnp.zeros(256, jnp.int32).at[picture.reshape(-1)].add(1)
        return (255 * jnp.cumsum(counts)[picture] / picture.size).astype(jnp.uint8)

    return run, (source.integers(256, 512, 512),)


@program
def connected_parts(source):
    """Labels spread to neighbours until none changes."""

    def run(filled):
        labels = jnp.where(filled, jnp.arange(1, filled.size + 1).reshape(filled.shape), 0)

        def step(state):
            labels, _ = state
            spread = jax.lax.reduce_window(labels, 0, jax.lax.max, (3, 3), (1, 1), "SAME")
            spread = jnp.where(filled, spread, 0)
            return spread, jnp.any(spread != labels)

        return jax.lax.while_loop(lambda s: s[1], step, (labels, jnp.bool_(True)))[0]

    return run, (source.uniform(128, 128) < 0.35,)


@program
def wavelets(source):
    """Five levels of Haar's transform, thresholded, and back."""

    def run(x):
        details = []
        for _ in range(5):
            details.append((x[:, ::2] - x[:, 1::2]) * 0.5**0.5)
            x = (x[:, ::2] + x[:, 1::2]) * 0.5**0.5
        for d in reversed(details):
            d = jnp.sign(d) * jnp.maximum(jnp.abs(d) - 0.5, 0)
            x = jnp.stack([x + d, x - d], -1).reshape(x.shape[0], -1) * 0.5**0.5
        return x

    return run, (source.normal(64, 4096),)


@program
def edit_distances(source):
    """Of 64 pairs of words, one row of the table after another."""

    def one(a, b):
        def row(before, letter):
            def cell(left, inputs):
                above, corner, other = inputs
                value = jnp.minimum(jnp.minimum(left, above) + 1, corner + (letter != other))
                return value, value

            first = before[0] + 1
            _, rest = jax.lax.scan(cell, first, (before[1:], before[:-1], b))
            return jnp.concatenate([first[None], rest]), None

        return jax.lax.scan(row, jnp.arange(b.shape[0] + 1), a)[0][-1]

    return jax.vmap(one), (source.integers(4, 64, 24), source.integers(4, 64, 24))


@program
def best_path(source):
    """Viterbi's algorithm: forward by maxima, back through the places of these."""

    def run(scores, transition):
        def forward(best, score):
            ways = best[:, :, None] + transition
            return jnp.max(ways, 1) + score, jnp.argmax(ways, 1)

        best, back = jax.lax.scan(forward, jnp.zeros((16, 20)), scores)
        last = jnp.argmax(best, 1)
        _, path = jax.lax.scan(lambda at, row: (jnp.take_along_axis(row, at[:, None], 1)[:, 0],) * 2, last, back, reverse=True)
        return path

    return run, (source.normal(100, 16, 20), source.normal(20, 20))


@program
def bilateral_filter(source):
    def run(picture):
        padded = jnp.pad(picture, 3, "reflect")
        total, weight = jnp.zeros_like(picture), jnp.zeros_like(picture)
        for i in range(7):
            for j in range(7):
                other = padded[i : i + 256, j : j + 256]
                w = jnp.exp(-((i - 3) ** 2 + (j - 3) ** 2) / 8 - (other - picture) ** 2 / 0.02)
                total, weight = total + w * other, weight + w
        return total / weight

    return run, (source.uniform(256, 256),)


@program
def warped_picture(source):
    def run(picture, shift):
        y, x = jnp.mgrid[0:256, 0:256].astype(jnp.float32)
        return jax.scipy.ndimage.map_coordinates(picture, [y + shift[0], x + shift[1]], order=1, mode="nearest")

    return run, (source.uniform(256, 256), source.normal(2, 256, 256, scale=3))
