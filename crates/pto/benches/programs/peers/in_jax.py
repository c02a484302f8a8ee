"""The programs in JAX: compiled functions of arrays.

Where a program has bf16 or f16, a way in f32 takes part too: processors without such arithmetic often do better with it. The results of a
run may go to the memory of those of the run before (`donate`), which is another way.
"""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from shared import BF16_STEP, COLS, ROWS, Way, f2, f4, i1, i4, int8_scale, load, u1, u2

bf16, f16, f32 = jnp.bfloat16, jnp.float16, jnp.float32


def start(threads):
    """The environment says how many threads the compiled programs use."""
    assert jax.default_backend() == "cpu"


def version():
    return f"JAX {jax.__version__}"


def results(found):
    return [np.asarray(x) if x.dtype != bf16 else np.asarray(x.astype(f32)) for x in jax.tree.leaves(found)]


def ways(name, compute, *inputs, slack=0.0):
    """A function with new memory for its results, and with the memory of the last ones."""
    inputs = [jax.device_put(x) for x in inputs]
    plain = jax.jit(compute)
    donating = jax.jit(lambda old, *x: compute(*x), donate_argnums=0, keep_unused=True)
    last = plain(*inputs)

    def again():
        nonlocal last
        last = jax.block_until_ready(donating(last, *inputs))
        return last

    return [
        Way(name, lambda: jax.block_until_ready(plain(*inputs)), slack),
        Way(f"{name}, donated", again, slack),
    ]


def load_bf16(name, arg, *shape):
    return load(name, arg, u2, *shape).view(ml_dtypes.bfloat16)


def vector_add():
    a, b, c = (load("vector_add", k, f4, 1 << 24) for k in range(3))
    return ways("f32", lambda a, b: a + b, a, b), [c]


def rows(name, compute, *weights):
    x, w = load(name, 0, f4, ROWS, COLS), [load(name, k, f4, COLS) for k in weights]
    return ways("f32", compute, x, *w), [load(name, 1 + len(w), f4, ROWS, COLS)]


def rms_norm(x, w):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w


def layer_norm(x, w, b):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(jnp.square(x - mean).mean(-1, keepdims=True) + 1e-5) * w + b


def gemm():
    a, b = (load("gemm", k, f4, 1024, 1024) for k in range(2))
    return ways("f32", jnp.matmul, a, b), [load("gemm", 2, f4, 1024, 1024)]


def short_gemm(name, kind, numbers):
    a, b = (numbers(name, k, 1024, 1024) for k in range(2))
    product = lambda a, b: jnp.matmul(a, b, preferred_element_type=f32)
    in_f32 = ways("f32", product, a.astype(f4), b.astype(f4))
    return ways(kind, product, a, b) + in_f32, [load(name, 2, f4, 1024, 1024)]


def attention(name, d):
    numbers = [load_bf16(name, k, 1024, d) for k in range(3)]

    def by_steps(q, k, v):
        s = jnp.matmul(q, k.T, preferred_element_type=f32) * f32(d**-0.5)
        return jnp.matmul(jax.nn.softmax(s).astype(q.dtype), v, preferred_element_type=f32)

    def function(q, k, v):
        return jax.nn.dot_product_attention(*(x[:, None] for x in (q, k, v)))

    wide = [x.astype(f4) for x in numbers]
    found = [load(name, 3, f4, 1024, d)]
    in_bf16 = ways("bf16", by_steps, *numbers, slack=BF16_STEP)
    return in_bf16 + ways("f32", by_steps, *wide) + ways("function, f32", function, *wide), found


def top_k():
    x = load("top_k", 0, f4, 256, 2048)
    found = [load("top_k", 1, f4, 256, 64), load("top_k", 2, i4, 256, 64)]
    return ways("top_k", lambda x: tuple(jax.lax.top_k(x, 64)), x), found


def int8_gemm():
    name, scale = "int8_gemm", f4(int8_scale())
    a, b = (load(name, k, i1, 512, 512) for k in range(2))
    in_bytes = lambda a, b: (jnp.matmul(a, b, preferred_element_type=jnp.int32) * scale).astype(f16)
    in_f32 = lambda a, b: (jnp.matmul(a.astype(f32), b.astype(f32)) * scale).astype(f16)
    return ways("i8", in_bytes, a, b) + ways("f32", in_f32, a, b), [load(name, 3, f2, 512, 512)]


def mxfp8_gemm():
    name = "mxfp8_gemm"
    a, b = (load(name, k, u1, 256, 256).view(ml_dtypes.float8_e4m3fn) for k in (0, 2))
    sa, sb = (load(name, k, u1, 256, 8).view(ml_dtypes.float8_e8m0fnu) for k in (1, 3))

    def product(a, sa, b, sb):
        x = a.astype(f32).reshape(256, 8, 32) * sa.astype(f32)[:, :, None]
        y = b.astype(f32).reshape(8, 32, 256) * sb.astype(f32).T[:, None, :]
        return x.reshape(256, 256) @ y.reshape(256, 256)

    return ways("f32", product, a, sa, b, sb), [load(name, 4, f4, 256, 256)]


def conv2d():
    x, w = load("conv2d", 0, f2, 1, 32, 32, 16), load("conv2d", 1, f2, 3, 3, 16, 32)

    def convolution(x, w):
        form = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=form, preferred_element_type=f32
        )

    in_f32 = ways("f32", convolution, x.astype(f4), w.astype(f4))
    return in_f32 + ways("f16", convolution, x, w), [load("conv2d", 2, f4, 1024, 32)]


def matmul_bias_relu():
    name = "matmul_bias_relu"
    x, w, bias = load(name, 0, f2, 512, 256), load(name, 1, f2, 256, 128), load(name, 2, f4, 128)
    compute = lambda x, w, b: jax.nn.relu(jnp.matmul(x, w, preferred_element_type=f32) + b)
    in_f32 = ways("f32", compute, x.astype(f4), w.astype(f4), bias)
    return in_f32 + ways("f16", compute, x, w, bias), [load(name, 3, f4, 512, 128)]


def decoder_layer():
    name = "decoder_layer"
    x = load(name, 0, f4, 2, 128, 256)
    norms = [load(name, k, f4, 256) for k in (1, 8)]
    square, wide = [load_bf16(name, k, 256, 256) for k in (2, 3, 4, 7)], [load_bf16(name, k, 256, 512) for k in (9, 10)]
    weights = [*square, *wide, load_bf16(name, 11, 512, 256)]
    turns = [load(name, k, f4, 128, 1, 32) for k in (5, 6)]

    def layer(x, norm1, norm2, cos, sin, wq, wk, wv, wo, w_gate, w_up, w_down):
        dtype = wq.dtype
        product = lambda a, b: jnp.matmul(a.astype(dtype), b, preferred_element_type=f32)
        heads = lambda x: x.reshape(2, 128, 4, 64)

        def rotated(x):
            a, b = jnp.split(heads(x), 2, axis=-1)
            return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

        a = rms_norm(x, norm1)
        q, k, v = rotated(product(a, wq)), rotated(product(a, wk)), heads(product(a, wv))
        mixed = jax.nn.dot_product_attention(*(x.astype(dtype) for x in (q, k, v)), is_causal=True)
        r = x + product(mixed.reshape(2, 128, 256), wo)
        b = rms_norm(r, norm2)
        return r + product(jax.nn.silu(product(b, w_gate)) * product(b, w_up), w_down)

    in_bf16 = ways("bf16", layer, x, *norms, *turns, *weights, slack=BF16_STEP)
    in_f32 = ways("f32", layer, x, *norms, *turns, *(w.astype(f4) for w in weights))
    return in_bf16 + in_f32, [load(name, 12, f4, 2, 128, 256)]


def all_reduce():
    ranks = [f"all_reduce@{rank}" for rank in range(4)]

    def reduced(*x):
        total = x[0] + x[1] + x[2] + x[3]
        return [total] * 4

    return ways("f32", reduced, *(load(name, 1, f4, 4096) for name in ranks)), [load(name, 2, f4, 4096) for name in ranks]


PROGRAMS = {
    "vector_add": vector_add,
    "softmax": lambda: rows("softmax", jax.nn.softmax),
    "rms_norm": lambda: rows("rms_norm", rms_norm, 1),
    "layer_norm": lambda: rows("layer_norm", layer_norm, 1, 2),
    "gemm": gemm,
    "gemm_bf16": lambda: short_gemm("gemm_bf16", "bf16", load_bf16),
    "gemm_f16": lambda: short_gemm("gemm_f16", "f16", lambda name, arg, *shape: load(name, arg, f2, *shape)),
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
