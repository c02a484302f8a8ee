"""The programs in NumPy, each as its users write it: how long it takes, and how far the engine's results are from it.

argv: the directory with the engine's data, NAME.ARGUMENT.bin for each argument and NAME@RANK.ARGUMENT.bin for those of ranks; then
the names of the programs.
Prints, for each program: NAME|milliseconds|largest error|largest number. Results are written to memory that exists already
where NumPy allows that.
"""

import sys
import time

import numpy as np

f4, f2, i4, i1, u1 = np.float32, np.float16, np.int32, np.int8, np.uint8
DATA = sys.argv[1]


def load(name, arg, dtype, *shape):
    return np.fromfile(f"{DATA}/{name}.{arg}.bin", dtype).reshape(shape)


def load_bf16(name, arg, *shape):
    """Numbers of bf16 as f32: their bits are the upper half."""
    return (load(name, arg, np.uint16, *shape).astype(np.uint32) << 16).view(f4)


def best(f):
    times = []
    for _ in range(6):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def report(name, f, *found):
    """`f` computes what the engine found."""
    wanted = f()
    wanted = wanted if isinstance(wanted, (tuple, list)) else [wanted]
    assert len(wanted) == len(found)
    error = max(np.abs(np.subtract(w, g, dtype=np.float64)).max() for w, g in zip(wanted, found))
    size = max(np.abs(w.astype(np.float64)).max() for w in wanted)
    print(name, best(f), error, size, sep="|")


def vector_add():
    n = 1 << 24
    a, b, c = (load("vector_add", k, f4, n) for k in range(3))
    out = np.empty_like(a)
    report("vector_add", lambda: np.add(a, b, out=out), c)


def rows(name, compute, *weights):
    x = load(name, 0, f4, 4096, 1024)
    w = [load(name, k, f4, 1024) for k in weights]
    y = np.empty_like(x)
    report(name, lambda: compute(x, y, *w), load(name, 1 + len(w), f4, 4096, 1024))


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
    report(name, lambda: np.matmul(a, b, out=out), load(name, 2, f4, 1024, 1024))


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
    report(name, lambda: weighted(q, k, v), load(name, 3, f4, 1024, d))


def top_k():
    x = load("top_k", 0, f4, 256, 2048)

    def top():
        places = np.argsort(-x, axis=1, kind="stable")[:, :64]
        return np.take_along_axis(x, places, axis=1), places

    report("top_k", top, load("top_k", 1, f4, 256, 64), load("top_k", 2, i4, 256, 64))


def int8_gemm():
    a, b = (load("int8_gemm", k, i1, 512, 512) for k in range(2))
    scale = load("int8_gemm", 2, np.int64, 1).astype(i4).view(f4)[0]
    # Sums of 512 products of bytes are exact in f32, and NumPy multiplies matrices of integers much more slowly.
    product = lambda: (a.astype(f4) @ b.astype(f4) * scale).astype(f2)
    report("int8_gemm", product, load("int8_gemm", 3, f2, 512, 512))


def e4m3():
    code = np.arange(256)
    sign, exponent, fraction = np.where(code & 128, -1.0, 1.0), code >> 3 & 15, code & 7
    value = np.where(exponent == 0, fraction * 2.0**-9, (8 + fraction) * 2.0 ** (exponent - 10.0))
    return (sign * value).astype(f4)


def mxfp8_gemm():
    name, number = "mxfp8_gemm", e4m3()
    a, b = load(name, 0, u1, 256, 256), load(name, 2, u1, 256, 256)
    sa, sb = load(name, 1, u1, 256, 8), load(name, 3, u1, 256, 8)
    power = lambda s: np.exp2(s.astype(f4) - 127)

    def product():
        x = number[a].reshape(256, 8, 32) * power(sa)[:, :, None]
        y = number[b].reshape(8, 32, 256) * power(sb).T[:, None, :]
        return x.reshape(256, 256) @ y.reshape(256, 256)

    report(name, product, load(name, 4, f4, 256, 256))


def conv2d():
    x, w = load("conv2d", 0, f2, 32, 32, 16).astype(f4), load("conv2d", 1, f2, 144, 32).astype(f4)

    def convolution():
        around = np.pad(x, ((1, 1), (1, 1), (0, 0)))
        near = np.lib.stride_tricks.sliding_window_view(around, (3, 3), axis=(0, 1))
        return near.transpose(0, 1, 3, 4, 2).reshape(1024, 144) @ w

    report("conv2d", convolution, load("conv2d", 2, f4, 1024, 32))


def matmul_bias_relu():
    name = "matmul_bias_relu"
    x, w = load(name, 0, f2, 512, 256).astype(f4), load(name, 1, f2, 256, 128).astype(f4)
    bias = load(name, 2, f4, 128)
    report(name, lambda: np.maximum(x @ w + bias, 0), load(name, 3, f4, 512, 128))


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

    report(name, lambda: np.stack([layer(x) for x in x]), y)


def all_reduce():
    ranks = [f"all_reduce@{rank}" for rank in range(4)]
    x = [load(name, 1, f4, 4096) for name in ranks]
    out = [np.empty_like(x) for x in x]

    def reduced():
        total = x[0] + x[1] + x[2] + x[3]
        for y in out:
            y[:] = total
        return out

    report("all_reduce", reduced, *(load(name, 2, f4, 4096) for name in ranks))


PROGRAMS = {
    "vector_add": vector_add,
    "softmax": lambda: rows("softmax", softmax),
    "rms_norm": lambda: rows("rms_norm", rms_norm, 1),
    "layer_norm": lambda: rows("layer_norm", layer_norm, 1, 2),
    "gemm": lambda: gemm("gemm", lambda name, arg, *shape: load(name, arg, f4, *shape)),
    "gemm_bf16": lambda: gemm("gemm_bf16", load_bf16),
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

for name in sys.argv[2:]:
    PROGRAMS[name]()
