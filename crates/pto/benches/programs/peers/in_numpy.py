"""The programs in NumPy, each as its users write it. Results go to memory that exists already where NumPy allows that.

NumPy multiplies matrices of f32 with OpenBLAS, and other types much more slowly: bf16, f16 and bytes become f32.
"""

import numpy as np
from shared import COLS, ROWS, Way, e4m3, f2, f4, i1, i4, int8_scale, load, load_bf16, powers, u1


def start(threads):
    """The environment says how many threads OpenBLAS uses; the rest of NumPy uses one."""


def version():
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"NumPy {np.__version__} ({blas['name']} {blas['version']})"


def results(found):
    return found if isinstance(found, (tuple, list)) else [found]


def one(run, *found):
    return [Way("numpy", run)], found


def vector_add():
    a, b, c = (load("vector_add", k, f4, 1 << 24) for k in range(3))
    out = np.empty_like(a)
    return one(lambda: np.add(a, b, out=out), c)


def rows(name, compute, *weights):
    x = load(name, 0, f4, ROWS, COLS)
    w = [load(name, k, f4, COLS) for k in weights]
    y = np.empty_like(x)
    return one(lambda: compute(x, y, *w), load(name, 1 + len(w), f4, ROWS, COLS))


def softmax(x, y):
    np.subtract(x, x.max(axis=1, keepdims=True), out=y)
    np.exp(y, out=y)
    return np.divide(y, y.sum(axis=1, keepdims=True), out=y)


def rms_norm(x, y, w):
    np.multiply(x, x, out=y)
    scale = 1 / np.sqrt(y.mean(axis=1, keepdims=True) + f4(1e-5))
    np.multiply(x, scale, out=y)
    return np.multiply(y, w, out=y)


def layer_norm(x, y, w, bias):
    np.subtract(x, x.mean(axis=1, keepdims=True), out=y)
    variance = (y * y).mean(axis=1, keepdims=True)
    np.multiply(y, 1 / np.sqrt(variance + f4(1e-5)), out=y)
    np.multiply(y, w, out=y)
    return np.add(y, bias, out=y)


def gemm(name, numbers):
    a, b = (numbers(name, k, 1024, 1024) for k in range(2))
    out = np.empty_like(a)
    return one(lambda: np.matmul(a, b, out=out), load(name, 2, f4, 1024, 1024))


def weighted(q, k, v, hidden=None):
    s = q @ k.T
    s *= f4(1 / np.sqrt(q.shape[1]))
    if hidden is not None:
        s[hidden] = -np.inf
    s -= s.max(axis=1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=1, keepdims=True)
    return s @ v


def attention(name, d):
    q, k, v = (load_bf16(name, at, 1024, d) for at in range(3))
    return one(lambda: weighted(q, k, v), load(name, 3, f4, 1024, d))


def top_k():
    x = load("top_k", 0, f4, 256, 2048)

    def sort():
        places = np.argsort(-x, axis=1, kind="stable")[:, :64]
        return np.take_along_axis(x, places, axis=1), places

    def partition():
        places = np.argpartition(x, -64, axis=1)[:, -64:]
        values = np.take_along_axis(x, places, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        return np.take_along_axis(values, order, axis=1), np.take_along_axis(places, order, axis=1)

    found = load("top_k", 1, f4, 256, 64), load("top_k", 2, i4, 256, 64)
    return [Way("argsort", sort), Way("argpartition", partition)], found


def int8_gemm():
    a, b = (load("int8_gemm", k, i1, 512, 512) for k in range(2))
    scale = int8_scale()
    # Sums of 512 products of bytes are exact in f32.
    return one(lambda: (a.astype(f4) @ b.astype(f4) * scale).astype(f2), load("int8_gemm", 3, f2, 512, 512))


def mxfp8_gemm():
    name, number, power = "mxfp8_gemm", e4m3(), powers()
    a, b = load(name, 0, u1, 256, 256), load(name, 2, u1, 256, 256)
    sa, sb = load(name, 1, u1, 256, 8), load(name, 3, u1, 256, 8)

    def product():
        x = number[a].reshape(256, 8, 32) * power[sa][:, :, None]
        y = number[b].reshape(8, 32, 256) * power[sb].T[:, None, :]
        return x.reshape(256, 256) @ y.reshape(256, 256)

    return one(product, load(name, 4, f4, 256, 256))


def conv2d():
    x, w = load("conv2d", 0, f2, 32, 32, 16).astype(f4), load("conv2d", 1, f2, 144, 32).astype(f4)

    def convolution():
        around = np.pad(x, ((1, 1), (1, 1), (0, 0)))
        near = np.lib.stride_tricks.sliding_window_view(around, (3, 3), axis=(0, 1))
        return near.transpose(0, 1, 3, 4, 2).reshape(1024, 144) @ w

    return one(convolution, load("conv2d", 2, f4, 1024, 32))


def matmul_bias_relu():
    name = "matmul_bias_relu"
    x, w = load(name, 0, f2, 512, 256).astype(f4), load(name, 1, f2, 256, 128).astype(f4)
    bias, out = load(name, 2, f4, 128), np.empty((512, 128), f4)

    def product():
        np.matmul(x, w, out=out)
        np.add(out, bias, out=out)
        return np.maximum(out, 0, out=out)

    return one(product, load(name, 3, f4, 512, 128))


def decoder_layer():
    name = "decoder_layer"
    x, y = load(name, 0, f4, 2, 128, 256), load(name, 12, f4, 2, 128, 256)
    norm1, norm2 = load(name, 1, f4, 256), load(name, 8, f4, 256)
    wq, wk, wv, wo = (load_bf16(name, k, 256, 256) for k in (2, 3, 4, 7))
    w_gate, w_up = (load_bf16(name, k, 256, 512) for k in (9, 10))
    w_down = load_bf16(name, 11, 512, 256)
    cos, sin = (load(name, k, f4, 128, 1, 32) for k in (5, 6))
    later = np.triu(np.ones((128, 128), bool), 1)

    def norm(x, w):
        return x * (1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + f4(1e-5))) * w

    def rotated(x):
        heads = x.reshape(128, 4, 64)
        a, b = heads[:, :, :32], heads[:, :, 32:]
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=2)

    def layer(x):
        a = norm(x, norm1)
        q, k, v = rotated(a @ wq), rotated(a @ wk), (a @ wv).reshape(128, 4, 64)
        mixed = np.concatenate([weighted(q[:, h], k[:, h], v[:, h], later) for h in range(4)], axis=1)
        r = x + mixed @ wo
        b = norm(r, norm2)
        gate = b @ w_gate
        return r + (gate / (1 + np.exp(-gate)) * (b @ w_up)) @ w_down

    return one(lambda: np.stack([layer(x) for x in x]), y)


def all_reduce():
    ranks = [f"all_reduce@{rank}" for rank in range(4)]
    x = [load(name, 1, f4, 4096) for name in ranks]
    out = [np.empty_like(x) for x in x]

    def reduced():
        total = x[0] + x[1] + x[2] + x[3]
        for y in out:
            y[:] = total
        return out

    return one(reduced, *(load(name, 2, f4, 4096) for name in ranks))


PROGRAMS = {
    "vector_add": vector_add,
    "softmax": lambda: rows("softmax", softmax),
    "rms_norm": lambda: rows("rms_norm", rms_norm, 1),
    "layer_norm": lambda: rows("layer_norm", layer_norm, 1, 2),
    "gemm": lambda: gemm("gemm", lambda name, arg, *shape: load(name, arg, f4, *shape)),
    "gemm_bf16": lambda: gemm("gemm_bf16", load_bf16),
    "gemm_f16": lambda: gemm("gemm_f16", lambda name, arg, *shape: load(name, arg, f2, *shape).astype(f4)),
    "flash_attention": lambda: attention("flash_attention", 64),
    "flash_attention_128": lambda: attention("flash_attention_128", 128),
    "top_k": top_k,
    "int8_gemm": int8_gemm,
    "mxfp8_gemm": mxfp8_gemm,
    "conv2d": conv2d,
    "matmul_bias_relu": matmul_bias_relu,
    "decoder_layer": decoder_layer,
    "all_reduce": all_reduce,
}
