"""The programs in PyTorch, as its users write them: functions of `torch` and `torch.nn.functional`, outside of autograd.

Where a program has bf16 or f16, a way in f32 takes part too: processors without such arithmetic often do better with it.
"""

import numpy as np
import torch
import torch.nn.functional as F
from shared import BF16_STEP, COLS, F16_STEP, ROWS, Way, f2, f4, i1, i4, int8_scale, load, u1, u2

bf16, f16, f32 = torch.bfloat16, torch.float16, torch.float32


def start(threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)


def version():
    return f"PyTorch {torch.__version__}"


def results(found):
    found = found if isinstance(found, (tuple, list)) else [found]
    return [t.to(f32).numpy() if t.dtype is bf16 else t.numpy() for t in found]


def tensor(name, arg, *shape):
    return torch.from_numpy(load(name, arg, f4, *shape))


def halves(name, arg, *shape):
    return torch.from_numpy(load(name, arg, f2, *shape))


def bf16s(name, arg, *shape):
    return torch.from_numpy(load(name, arg, u2, *shape).view(np.int16)).view(bf16)


def vector_add():
    a, b = (tensor("vector_add", k, 1 << 24) for k in range(2))
    out = torch.empty_like(a)
    return [Way("add", lambda: torch.add(a, b, out=out))], [load("vector_add", 2, f4, 1 << 24)]


def rows(name, ways, *weights):
    """Each way gets the matrix, memory for the result, and the weights."""
    x = tensor(name, 0, ROWS, COLS)
    w = [tensor(name, k, COLS) for k in weights]
    y = torch.empty_like(x)
    ways = [Way(way, lambda run=run: run(x, y, *w)) for way, run in ways.items()]
    return ways, [load(name, 1 + len(w), f4, ROWS, COLS)]


def softmax():
    return rows(
        "softmax",
        {"functional": lambda x, y: F.softmax(x, 1), "out": lambda x, y: torch.softmax(x, 1, out=y)},
    )


def rms_norm():
    def by_steps(x, y, w):
        torch.mul(x, torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-5), out=y)
        return y.mul_(w)

    return rows("rms_norm", {"functional": lambda x, y, w: F.rms_norm(x, (COLS,), w, 1e-5), "steps": by_steps}, 1)


def layer_norm():
    return rows("layer_norm", {"functional": lambda x, y, w, b: F.layer_norm(x, (COLS,), w, b, 1e-5)}, 1, 2)


def gemm():
    a, b = (tensor("gemm", k, 1024, 1024) for k in range(2))
    out = torch.empty_like(a)
    return [Way("mm", lambda: torch.mm(a, b, out=out))], [load("gemm", 2, f4, 1024, 1024)]


def short_gemm(name, kind, numbers, step):
    a, b = (numbers(name, k, 1024, 1024) for k in range(2))
    x, y = a.float(), b.float()
    short, out = torch.empty_like(a), torch.empty_like(x)
    ways = [Way(kind, lambda: torch.mm(a, b, out=short), step), Way("f32", lambda: torch.mm(x, y, out=out))]
    return ways, [load(name, 2, f4, 1024, 1024)]


def attention(name, d):
    numbers = [bf16s(name, k, 1, 1, 1024, d) for k in range(3)]
    wide = [x.float() for x in numbers]
    ways = [
        Way("bf16", lambda: F.scaled_dot_product_attention(*numbers), BF16_STEP),
        Way("f32", lambda: F.scaled_dot_product_attention(*wide)),
    ]
    return ways, [load(name, 3, f4, 1024, d)]


def top_k():
    x = tensor("top_k", 0, 256, 2048)
    out = torch.empty(256, 64), torch.empty(256, 64, dtype=torch.int64)
    found = load("top_k", 1, f4, 256, 64), load("top_k", 2, i4, 256, 64)
    return [Way("topk", lambda: torch.topk(x, 64, out=out))], found


def int8_gemm():
    name, scale = "int8_gemm", float(int8_scale())
    a, b = (torch.from_numpy(load(name, k, i1, 512, 512)) for k in range(2))
    ways = [
        Way("_int_mm", lambda: (torch._int_mm(a, b) * scale).to(f16)),
        Way("f32", lambda: (a.float() @ b.float() * scale).to(f16)),
    ]
    return ways, [load(name, 3, f2, 512, 512)]


def mxfp8_gemm():
    name = "mxfp8_gemm"
    codes = lambda arg, rows, cols: torch.from_numpy(load(name, arg, u1, rows, cols))
    a, b = (codes(k, 256, 256).view(torch.float8_e4m3fn) for k in (0, 2))
    sa, sb = (codes(k, 256, 8).view(torch.float8_e8m0fnu) for k in (1, 3))

    def product():
        x = a.float().view(256, 8, 32) * sa.float()[:, :, None]
        y = b.float().view(8, 32, 256) * sb.float().T[:, None, :]
        return x.view(256, 256) @ y.view(256, 256)

    return [Way("f32", product)], [load(name, 4, f4, 256, 256)]


def conv2d():
    # Channels come last in memory, and the rows of the weights are the places around a point and the channels at each.
    image = halves("conv2d", 0, 1, 32, 32, 16).permute(0, 3, 1, 2)
    filters = halves("conv2d", 1, 3, 3, 16, 32).permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)

    def way(dtype, slack):
        x, w = image.to(dtype), filters.to(dtype)
        # As the engine has it, with channels last: a view.
        return Way(str(dtype).removeprefix("torch."), lambda: F.conv2d(x, w, padding=1).permute(0, 2, 3, 1), slack)

    return [way(f32, 0.0), way(f16, F16_STEP)], [load("conv2d", 2, f4, 1024, 32)]


def matmul_bias_relu():
    name = "matmul_bias_relu"
    a, weight, bias = halves(name, 0, 512, 256), halves(name, 1, 256, 128), tensor(name, 2, 128)

    def way(dtype, slack):
        x, w, b = a.to(dtype), weight.to(dtype), bias.to(dtype)
        return Way(str(dtype).removeprefix("torch."), lambda: torch.addmm(b, x, w).relu_(), slack)

    return [way(f32, 0.0), way(f16, 2 * F16_STEP)], [load(name, 3, f4, 512, 128)]


def decoder_layer():
    name = "decoder_layer"
    x = tensor(name, 0, 2, 128, 256)
    norm1, norm2 = tensor(name, 1, 256), tensor(name, 8, 256)
    square, wide = [bf16s(name, k, 256, 256) for k in (2, 3, 4, 7)], [bf16s(name, k, 256, 512) for k in (9, 10)]
    weights = [*square, *wide, bf16s(name, 11, 512, 256)]
    cos, sin = (tensor(name, k, 128, 32) for k in (5, 6))

    def way(dtype):
        wq, wk, wv, wo, w_gate, w_up, w_down = (w.to(dtype) for w in weights)
        norm = lambda x, w: F.rms_norm(x, (256,), w, 1e-5).to(dtype)
        heads = lambda x: x.view(2, 128, 4, 64).transpose(1, 2)

        def rotated(x):
            a, b = heads(x).float().chunk(2, -1)
            return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(dtype)

        def layer():
            a = norm(x, norm1)
            q, k, v = rotated(a @ wq), rotated(a @ wk), heads(a @ wv)
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            r = x + mixed.transpose(1, 2).reshape(2, 128, 256) @ wo
            b = norm(r, norm2)
            return r + (F.silu(b @ w_gate) * (b @ w_up)) @ w_down

        return Way(str(dtype).removeprefix("torch."), layer, 0.0 if dtype is f32 else BF16_STEP)

    return [way(bf16), way(f32)], [load(name, 12, f4, 2, 128, 256)]


def all_reduce():
    ranks = [f"all_reduce@{rank}" for rank in range(4)]
    x = [tensor(name, 1, 4096) for name in ranks]
    out = [torch.empty_like(x) for x in x]

    def reduced():
        total = x[0] + x[1] + x[2] + x[3]
        for y in out:
            y.copy_(total)
        return out

    return [Way("add", reduced)], [load(name, 2, f4, 4096) for name in ranks]


PROGRAMS = {
    "vector_add": vector_add,
    "softmax": softmax,
    "rms_norm": rms_norm,
    "layer_norm": layer_norm,
    "gemm": gemm,
    "gemm_bf16": lambda: short_gemm("gemm_bf16", "bf16", bf16s, BF16_STEP),
    "gemm_f16": lambda: short_gemm("gemm_f16", "f16", halves, F16_STEP),
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
