"""The encoder in plain NumPy, each addition in the kernel's order: equal to the last bit."""

import numpy as np

F = np.float32
BLOCK = 64
ROUNDING = F(12582912)


def whole(x):
    """Round to whole numbers, half to even."""
    return (x + ROUNDING) - ROUNDING


def rounded(x):
    """Return blocks of 64 rounded to 127 steps, their scales, and the same of what is left."""
    blocks = x.reshape(*x.shape[:-1], -1, BLOCK)
    most = np.abs(blocks).max(axis=-1)
    with np.errstate(divide="ignore"):
        inverse = np.where(most > 0, F(127) / most, F(0)).astype(F)
    scaled = blocks * inverse[..., None]
    codes = whole(scaled)
    rest = whole((scaled - codes) * F(254))
    scale = most / F(127)
    return (codes, scale), (rest, scale / F(254))


def halved(sums):
    """Add 16 lanes up: the upper half to the lower, until one is left."""
    while sums.shape[-1] > 1:
        half = sums.shape[-1] // 2
        sums = sums[..., :half] + sums[..., half:]
    return sums[..., 0]


def lanes(x):
    """Add up along the last axis: every 16th, one after another, then the 16."""
    sums = np.zeros((*x.shape[:-1], 16), F)
    for start in range(0, x.shape[-1], 16):
        sums = sums + x[..., start : start + 16]
    return halved(sums)


def linear(x, weights, bias, doubled):
    """Multiply in eight bits; outputs from `doubled` on see what rounding x left as well."""
    (own, own_scale), _ = rounded(weights)
    sums = np.zeros((len(x), len(weights)), F)
    for part, (codes, scales) in enumerate(rounded(x)):
        columns = slice(doubled if part else 0, None)
        for b in range(codes.shape[1]):
            exact = codes[:, b].astype(np.int64) @ own[columns, b].astype(np.int64).T
            by = scales[:, b, None] * own_scale[None, columns, b]
            sums[:, columns] = sums[:, columns] + exact.astype(F) * by
    return sums + bias


def norm(x, scale, shift, epsilon):
    """Normalise rows to mean 0 and variance 1, then scale and shift."""
    width = F(x.shape[1])
    mean = (lanes(x) / width)[:, None]
    off = x - mean
    by = F(1) / np.sqrt(lanes(off * off) / width + F(epsilon))
    return off * by[:, None] * scale + shift


def exponential(x):
    """e^x, as Cephes has it."""
    x = np.maximum(x, F(-87))
    shifted = x * F(1.44269504) + ROUNDING
    n = shifted - ROUNDING
    r = (x - n * F(0.693359375)) + n * F(2.12194440e-4)
    p = np.full_like(r, F(1.9875691500e-4))
    for factor in (
        1.3981999507e-3,
        8.3334519073e-3,
        4.1665795894e-2,
        1.6666665459e-1,
        5.0000001201e-1,
    ):
        p = p * r + F(factor)
    p = p * (r * r) + r + F(1)
    return p * ((n.astype(np.int32) + 127) << 23).view(F)


def gelu(x):
    """x times the share of a normal distribution below it, by a quotient of polynomials."""
    z = np.minimum(np.maximum(x * F(0.70710678), F(-4)), F(4))
    s = z * z
    a = s * F(-2.72614225801306e-10) + F(2.77068142495902e-08)
    for factor in (
        -2.10102402082508e-06,
        -5.69250639462346e-05,
        -7.34990630326855e-04,
        -2.95459980854025e-03,
        -1.60960333262415e-02,
    ):
        a = a * s + F(factor)
    b = s * F(-1.45660718464996e-05) + F(-2.13374055278905e-04)
    for factor in (-1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02):
        b = b * s + F(factor)
    return x * F(0.5) * (z * a / b + F(1))


def attend(three, stretches, heads):
    """Mix values by softmax of products, every row over what its stretch sees."""
    width = three.shape[1] // 3
    seen = np.empty((len(three), width), F)
    for head in range(heads):
        q, k, v = (
            three[:, part * width + 32 * head : part * width + 32 * head + 32] for part in range(3)
        )
        for first, last, start, end in stretches:
            scores = np.zeros((last - first, end - start), F)
            for d in range(32):
                scores = scores + q[first:last, d, None] * k[None, start:end, d]
            padding = -(end - start) % 16
            scores = np.pad(scores, ((0, 0), (0, padding)), constant_values=F(-1e30))
            powers = exponential(scores - scores.max(axis=1, keepdims=True))
            mixed = np.zeros((last - first, 32), F)
            for j in range(end - start):
                mixed = mixed + powers[:, j, None] * v[None, start + j]
            seen[first:last, 32 * head : 32 * head + 32] = mixed * (F(1) / lanes(powers))[:, None]
    return seen


class Transformer:
    """What the kernel's class of this name does."""

    def __init__(self, scale, shift, *, heads, epsilon):
        self.first, self.heads, self.epsilon = (scale, shift), heads, epsilon
        self.layers = []

    def add(self, **weights):
        self.layers.append(weights)

    def run(self, embedded, stretches, _passes, _threads):
        """Return the states asked for; a pass is one of its own only where stretches see it so."""
        asked = np.concatenate([np.arange(*s[4:]) for s in stretches.tolist()])
        x = norm(embedded, *self.first, self.epsilon)
        for weights in self.layers:
            x = self.step(x, weights, stretches[:, :4].tolist())
        return x[asked]

    def step(self, x, w, stretches):
        width = x.shape[1]
        never = 4 * width
        by = F(1) / np.sqrt(F(32))
        weights = np.concatenate([w["query"] * by, w["key"], w["value"]])
        bias = np.concatenate([w["query_bias"] * by, w["key_bias"], w["value_bias"]])
        three = linear(x, weights, bias, 2 * width)
        seen = attend(three, stretches, self.heads)
        x = x + linear(seen, w["mixed"], w["mixed_bias"], never)
        x = norm(x, w["attended"], w["attended_shift"], self.epsilon)
        bent = gelu(linear(x, w["wide"], w["wide_bias"], never))
        x = x + linear(bent, w["narrow"], w["narrow_bias"], never)
        return norm(x, w["done"], w["done_shift"], self.epsilon)
