"""The programs in ONNX Runtime: graphs of its operations on arrays that are bound once, results too.

Its kernels for processors compute in f32 or with bytes, so that bf16 and f16 become f32. Weights of norms and layers belong to the model, which
packs them before the first run; the factors of plain products do not.
"""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from shared import COLS, F16_STEP, ROWS, Way, f2, f4, i1, i4, int8_scale, load, load_bf16, powers, u1

MICROSOFT = "com.microsoft"
VERSIONS = [helper.make_opsetid("", 23), helper.make_opsetid(MICROSOFT, 1)]

options = onnxruntime.SessionOptions()


def start(threads):
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3


def version():
    return f"ONNX Runtime {onnxruntime.__version__}"


def results(found):
    return found


class Graph:
    """A model under construction, then bound to its arrays."""

    def __init__(self):
        self.nodes, self.weights, self.inputs = [], [], {}

    def input(self, array, dtype=None):
        name = f"in{len(self.inputs)}"
        self.inputs[name] = array, dtype or helper.np_dtype_to_tensor_dtype(array.dtype)
        return name

    def weight(self, array):
        name = f"weight{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, op, *inputs, domain="", outputs=1, **attributes):
        names = [f"value{len(self.nodes)}_{k}" for k in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def session(self, outputs):
        value = helper.make_tensor_value_info
        inputs = [value(name, dtype, array.shape) for name, (array, dtype) in self.inputs.items()]
        results = [value(name, helper.np_dtype_to_tensor_dtype(out.dtype), out.shape) for name, out in outputs.items()]
        graph = helper.make_graph(self.nodes, "program", inputs, results, self.weights)
        model = helper.make_model(graph, opset_imports=VERSIONS, ir_version=10)
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def way(self, name, slack=0.0, **outputs):
        """`outputs` are arrays for the results, by the names of values."""
        session = self.session(outputs)
        binding = session.io_binding()
        for value, (array, dtype) in self.inputs.items():
            binding.bind_input(value, "cpu", 0, dtype, array.shape, array.ctypes.data)
        for value, out in outputs.items():
            dtype = helper.np_dtype_to_tensor_dtype(out.dtype)
            binding.bind_output(value, "cpu", 0, dtype, out.shape, out.ctypes.data)
        arrays = [array for array, _ in self.inputs.values()], list(outputs.values())

        def run(arrays=arrays):
            session.run_with_iobinding(binding)
            return arrays[1]

        return Way(name, run, slack)


def vector_add():
    a, b, c = (load("vector_add", k, f4, 1 << 24) for k in range(3))
    g = Graph()
    total = g.add("Add", g.input(a), g.input(b))
    return [g.way("Add", **{total: np.empty_like(c)})], [c]


def rows(name, op, *weights, **attributes):
    x, found = load(name, 0, f4, ROWS, COLS), load(name, 1 + len(weights), f4, ROWS, COLS)
    g = Graph()
    y = g.add(op, g.input(x), *(g.weight(load(name, k, f4, COLS)) for k in weights), axis=-1, **attributes)
    return [g.way(op, **{y: np.empty_like(found)})], [found]


def gemm(name, numbers):
    a, b = (numbers(name, k, 1024, 1024) for k in range(2))
    found = load(name, 2, f4, 1024, 1024)
    g = Graph()
    product = g.add("MatMul", g.input(a), g.input(b))
    return [g.way("MatMul", **{product: np.empty_like(found)})], [found]


def attention(name, d):
    q, k, v = (load_bf16(name, at, 1, 1024, d) for at in range(3))
    found = load(name, 3, f4, 1, 1024, d)
    fused = Graph()
    fused_out = fused.add("MultiHeadAttention", *map(fused.input, (q, k, v)), domain=MICROSOFT, num_heads=1)
    g = Graph()
    transposed = g.add("Transpose", g.input(k), perm=[0, 2, 1])
    scores = g.add("Mul", g.add("MatMul", g.input(q), transposed), g.weight(f4(d**-0.5)))
    out = g.add("MatMul", g.add("Softmax", scores, axis=-1), g.input(v))
    return [
        fused.way("MultiHeadAttention", **{fused_out: np.empty_like(found)}),
        g.way("steps", **{out: np.empty_like(found)}),
    ], [found]


def top_k():
    found = [load("top_k", 1, f4, 256, 64), load("top_k", 2, i4, 256, 64)]
    g = Graph()
    values, places = g.add("TopK", g.input(load("top_k", 0, f4, 256, 2048)), g.weight(np.array([64])), outputs=2)
    return [g.way("TopK", **{values: np.empty((256, 64), f4), places: np.empty((256, 64), np.int64)})], found


def int8_gemm():
    name = "int8_gemm"
    a, b = (load(name, k, i1, 512, 512) for k in range(2))
    # The same numbers without a sign, with 128 as zero: the form that it has the fastest kernels for.
    unsigned = (a.view(u1) ^ 128).astype(u1)
    found = load(name, 3, f2, 512, 512)
    cast = lambda g, x, to: g.add("Cast", x, to=to)

    def way(name, product):
        g = Graph()
        scaled = g.add("Mul", product(g), g.weight(int8_scale()))
        return g.way(name, F16_STEP, **{cast(g, scaled, TensorProto.FLOAT16): np.empty_like(found)})

    def integers(g, a, *zero):
        return cast(g, g.add("MatMulInteger", g.input(a), g.input(b), *zero), TensorProto.FLOAT)

    def floats(g):
        return g.add("MatMul", *(cast(g, g.input(x), TensorProto.FLOAT) for x in (a, b)))

    ways = {
        "MatMulInteger": lambda g: integers(g, a),
        "MatMulInteger, u8": lambda g: integers(g, unsigned, g.weight(u1(128))),
        "f32": floats,
    }
    return [way(name, product) for name, product in ways.items()], [found]


def mxfp8_gemm():
    name, float8 = "mxfp8_gemm", TensorProto.FLOAT8E4M3FN
    a, b = load(name, 0, u1, 256, 256), load(name, 2, u1, 256, 256)
    sa, sb = load(name, 1, u1, 256, 8), load(name, 3, u1, 256, 8)
    found = load(name, 4, f4, 256, 256)
    g = Graph()
    power = g.weight(powers())

    def numbers(codes, scales, whole, parts, perm, per_part):
        x = g.add("Reshape", g.add("Cast", g.input(codes, float8), to=TensorProto.FLOAT), g.weight(np.array(parts)))
        s = g.add("Gather", power, g.add("Cast", g.input(scales), to=TensorProto.INT32))
        s = g.add("Reshape", g.add("Transpose", s, perm=perm), g.weight(np.array(per_part)))
        return g.add("Reshape", g.add("Mul", x, s), g.weight(np.array(whole)))

    x = numbers(a, sa, [256, 256], [256, 8, 32], [0, 1], [256, 8, 1])
    y = numbers(b, sb, [256, 256], [8, 32, 256], [1, 0], [8, 1, 256])
    return [g.way("f32", **{g.add("MatMul", x, y): np.empty_like(found)})], [found]


def conv2d():
    # Its convolutions have channels first: what is channels last is transposed before the run, and so is what the engine found.
    x = load("conv2d", 0, f2, 1, 32, 32, 16).astype(f4).transpose(0, 3, 1, 2)
    w = load("conv2d", 1, f2, 3, 3, 16, 32).astype(f4).transpose(3, 2, 0, 1)
    found = np.ascontiguousarray(load("conv2d", 2, f4, 1, 32, 32, 32).transpose(0, 3, 1, 2))
    g = Graph()
    y = g.add("Conv", g.input(np.ascontiguousarray(x)), g.weight(w), pads=[1, 1, 1, 1])
    return [g.way("Conv", **{y: np.empty_like(found)})], [found]


def matmul_bias_relu():
    name = "matmul_bias_relu"
    x, w = load(name, 0, f2, 512, 256).astype(f4), load(name, 1, f2, 256, 128).astype(f4)
    found = load(name, 3, f4, 512, 128)
    g = Graph()
    y = g.add("Relu", g.add("Gemm", g.input(x), g.weight(w), g.weight(load(name, 2, f4, 128))))
    return [g.way("Gemm", **{y: np.empty_like(found)})], [found]


def decoder_layer():
    name = "decoder_layer"
    x, found = load(name, 0, f4, 2, 128, 256), load(name, 12, f4, 2, 128, 256)
    g = Graph()
    norm1, norm2 = (g.weight(load(name, k, f4, 256)) for k in (1, 8))
    wq, wk, wv, wo = (g.weight(load_bf16(name, k, 256, 256)) for k in (2, 3, 4, 7))
    w_gate, w_up = (g.weight(load_bf16(name, k, 256, 512)) for k in (9, 10))
    w_down = g.weight(load_bf16(name, 11, 512, 256))
    cos, sin = (g.weight(load(name, k, f4, 128, 32)) for k in (5, 6))
    places = g.weight(np.tile(np.arange(128), (2, 1)))
    norm = lambda x, w: g.add("RMSNormalization", x, w, axis=-1, epsilon=1e-5)
    product = lambda a, b: g.add("MatMul", a, b)
    rotated = lambda x: g.add("RotaryEmbedding", x, places, cos, sin, domain=MICROSOFT, num_heads=4)

    x = g.input(x)
    a = norm(x, norm1)
    q, k, v = rotated(product(a, wq)), rotated(product(a, wk)), product(a, wv)
    mixed = g.add("MultiHeadAttention", q, k, v, domain=MICROSOFT, num_heads=4, unidirectional=1)
    r = g.add("Add", x, product(mixed, wo))
    b = norm(r, norm2)
    gate = product(b, w_gate)
    inner = g.add("Mul", g.add("Mul", gate, g.add("Sigmoid", gate)), product(b, w_up))
    y = g.add("Add", r, product(inner, w_down))
    return [g.way("f32", **{y: np.empty_like(found)})], [found]


def all_reduce():
    ranks = [f"all_reduce@{rank}" for rank in range(4)]
    found = [load(name, 2, f4, 4096) for name in ranks]
    g = Graph()
    total = g.add("Sum", *(g.input(load(name, 1, f4, 4096)) for name in ranks))
    copies = [g.add("Identity", total) for _ in ranks]
    return [g.way("Sum", **dict(zip(copies, map(np.empty_like, found))))], found


PROGRAMS = {
    "vector_add": vector_add,
    "softmax": lambda: rows("softmax", "Softmax"),
    "rms_norm": lambda: rows("rms_norm", "RMSNormalization", 1, epsilon=1e-5),
    "layer_norm": lambda: rows("layer_norm", "LayerNormalization", 1, 2, epsilon=1e-5),
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
