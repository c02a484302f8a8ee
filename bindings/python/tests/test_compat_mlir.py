"""Scripts on MLIR bindings: small ones of our own, in the styles that scripts in use have."""

import subprocess
import sys
import textwrap

import pytest

import pto
import pto.compat

pto.compat.install("mlir", "ptoas.mlir")

from mlir.dialects import arith, func, pto as dialect, scf  # noqa: E402
from mlir.ir import (  # noqa: E402
    Attribute,
    Context,
    F32Type,
    FlatSymbolRefAttr,
    IndexType,
    InsertionPoint,
    IntegerType,
    Location,
    MLIRError,
    Module,
    Operation,
    Type,
    UnitAttr,
)


def tile_type(rows, cols, valid=None, space="VEC"):
    space = dialect.AddressSpaceAttr.get(getattr(dialect.AddressSpace, space))
    config = dialect.TileBufConfigAttr.get(
        dialect.BLayoutAttr.get(dialect.BLayout.RowMajor),
        dialect.SLayoutAttr.get(dialect.SLayout.NoneBox),
        dialect.TileConfig.fractalABSize,
        dialect.PadValueAttr.get(dialect.PadValue.Null),
    )
    return dialect.TileBufType.get([rows, cols], F32Type.get(), space, valid or [rows, cols], config)


def build(body, arguments=2):
    """A module with a function of pointers; `body` gets its arguments and makes its operations."""
    with Context(), Location.unknown():
        module = Module.create()
        pointer = dialect.PtrType.get(F32Type.get())
        with InsertionPoint(module.body):
            function = func.FuncOp("kernel", func.FunctionType.get([pointer] * arguments, []))
            function.operation.attributes["pto.entry"] = UnitAttr.get()
            entry = function.add_entry_block()
        with InsertionPoint(entry):
            body(*entry.arguments)
            func.ReturnOp([])
        return module


def copy(source, target, work=lambda tile: None):
    """Loads a tile, works on it and stores it."""
    zero, one, n = (arith.ConstantOp(IndexType.get(), k).result for k in (0, 1, 32))
    view = dialect.TensorViewType.get(2, F32Type.get())
    part = dialect.PartitionTensorViewType.get([32, 32], F32Type.get())
    inside = dialect.MakeTensorViewOp(view, source, [n, n], [n, one]).result
    outside = dialect.MakeTensorViewOp(view, target, [n, n], [n, one]).result
    tile = dialect.AllocTileOp(tile_type(32, 32)).result
    dialect.TLoadOp(None, dialect.PartitionViewOp(part, inside, offsets=[zero, zero], sizes=[n, n]).result, tile)
    work(tile)
    dialect.TStoreOp(None, tile, dialect.PartitionViewOp(part, outside, offsets=[zero, zero], sizes=[n, n]).result)


def test_a_module_is_a_legal_program_in_both_generations():
    module = build(copy)
    assert module.operation.verify()
    assert pto.Program(str(module)).check("a2a3") == []
    import ptoas.mlir.ir

    assert ptoas.mlir.ir.Module is Module


def test_printing_is_deterministic_and_has_no_lines_unless_asked():
    first, second = build(copy), build(copy)
    assert str(first) == str(second)
    assert "loc(" not in str(first).replace("loc=", "")
    assert 'test_compat_mlir.py":' in first.operation.get_asm(enable_debug_info=True)


def test_operations_are_bound_by_position_and_by_the_keywords_of_both_versions():
    def work(tile):
        other = dialect.AllocTileOp(tile_type(32, 32)).result
        dialect.TAddOp(tile, tile, other)
        dialect.TXorOp(tile, tile, other, tile)
        dialect.TXorOp(tile, tile, tile, tmp=other)
        dialect.TCmpOp(tile, tile, other, cmpMode=dialect.CmpModeAttr.get(dialect.CmpMode.LT))
        dialect.tadds(tile, arith.constant(F32Type.get(), 1.5), tile)
        with pytest.raises(TypeError, match="missing operands: `dst`"):
            dialect.TAddOp(tile, tile)
        with pytest.raises(TypeError, match="no operand or attribute `colour`"):
            dialect.TAddOp(tile, tile, tile, colour=1)

    text = str(build(lambda a, b: copy(a, b, work)))
    assert text.count("array<i32: 1, 1, 1, 1>") == 2, "scratch tiles are bound to their slot in both orders"
    assert "#pto<cmp lt>" in text and "1.5 : f32" in text


def test_missing_names_raise_by_name():
    with pytest.raises(AttributeError, match="`VaddOp`.*below the tile level"):
        dialect.VaddOp
    with pytest.raises(AttributeError, match="has no `TNothingOp`"):
        dialect.TNothingOp
    with pytest.raises(ImportError, match="RewritePatternSet"):
        from mlir.ir import RewritePatternSet  # noqa: F401
    with pytest.raises(AttributeError, match="no operation `pto.tnothing`"):
        Operation.create("pto.tnothing")
    with pytest.raises(AttributeError, match="CmpMode has no value"):
        dialect.CmpMode.NEARLY


def test_control_flow():
    def body(a, b):
        zero, one, ten = (arith.ConstantOp(IndexType.get(), k).result for k in (0, 1, 10))
        loop = scf.ForOp(zero, ten, one, iter_args=[zero])
        with InsertionPoint(loop.body):
            is_first = arith.CmpIOp(arith.CmpIPredicate.eq, loop.induction_variable, zero).result
            choice = scf.IfOp(is_first, [IndexType.get()], hasElse=True)
            with InsertionPoint(choice.then_block):
                scf.YieldOp([one])
            with InsertionPoint(choice.else_block):
                scf.YieldOp([arith.AddIOp(loop.inner_iter_args[0], one).result])
            scf.YieldOp([choice.result])
        branch = scf.IfOp(arith.CmpIOp(arith.CmpIPredicate.sgt, loop.result, one).result)
        with InsertionPoint(branch.then_block):
            arith.IndexCastOp(IntegerType.get_signless(32), loop.result)
            scf.YieldOp([])

    module = build(body)
    assert module.operation.verify()
    assert "iter_args(%arg3 = %0)" in str(module)


def test_sections_functions_and_calls():
    with Context(), Location.unknown():
        module = Module.create()
        with InsertionPoint(module.body):
            helper = func.FuncOp("helper", ([IndexType.get()], []))
            with InsertionPoint(helper.add_entry_block()):
                func.ReturnOp([])
            main = func.FuncOp("main", ([], []))
            with InsertionPoint(main.add_entry_block()):
                section = dialect.SectionVectorOp()
                with InsertionPoint(section.body.blocks.append()):
                    number = arith.ConstantOp(IndexType.get(), 1).result
                    Operation.create("func.call", operands=[number], attributes={"callee": FlatSymbolRefAttr.get("helper")})
                func.ReturnOp([])
        module.operation.attributes["pto.target_arch"] = Attribute.parse('"a5"')
        assert module.operation.verify()


def test_verify_names_the_python_line():
    def wrong(tile):
        dialect.TAddOp(tile, dialect.AllocTileOp(tile_type(16, 16)).result, tile)  # here

    with pytest.raises(MLIRError) as caught:
        build(lambda a, b: copy(a, b, wrong)).operation.verify()
    line = next(n for n, text in enumerate(open(__file__), 1) if text.rstrip().endswith("# here"))
    assert f"test_compat_mlir.py:{line}:" in str(caught.value)
    assert "TAddOp(tile, dialect" in str(caught.value), "the line itself is shown"
    assert caught.value.diagnostics[0].code.startswith("PTO-E")


def test_types_and_attributes():
    with Context():
        assert Type.parse("i32") == IntegerType.get_signless(32)
        parsed = Type.parse(str(tile_type(16, 32, [8, -1])))
        assert parsed == tile_type(16, 32, [8, -1]) and parsed.valid_shape == [8, -1]
        assert Type.parse("!pto.ptr<f16>").element_type == Type.parse("f16")
        assert IntegerType.isinstance(IntegerType.get_unsigned(8)) and not IntegerType.isinstance(F32Type.get())
        assert str(dialect.PipeAttr.get(dialect.PIPE.PIPE_V)) == "#pto.pipe<PIPE_V>"
        assert Context.current is not None
    assert Context.current is None


def test_a_text_becomes_a_module_and_a_wrong_one_does_not():
    module = Module.parse("module { func.func @f() { return } }")
    assert module.operation.verify()
    with pytest.raises(MLIRError, match="there is no operation"):
        Module.parse("func.func @f() { pto.nothing return }")


def run(tmp_path, script, *options, layer="mlir"):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(script))
    command = [sys.executable, "-m", "pto.compat", layer, *options, str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)


SCRIPT = """
    from ptoas.mlir.ir import Context, InsertionPoint, Location, Module
    from ptoas.mlir.dialects import func, pto

    with Context(), Location.unknown():
        module = Module.create()
        with InsertionPoint(module.body):
            function = func.FuncOp("f", ([], []))
            with InsertionPoint(function.add_entry_block()):
                pto.BarrierOp(pto.PipeAttr.get(pto.PIPE.PIPE_V)){end}
        print(module)
"""


def test_the_command_runs_checks_and_saves(tmp_path):
    good = SCRIPT.format(end="\n                func.ReturnOp([])")
    done = run(tmp_path, good, "--check", "a2a3", "--save", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("module {") and "legal on a2a3" in done.stderr
    saved = (tmp_path / "out" / "script.pto").read_text()
    assert f'loc("{tmp_path}/script.py":10:' in saved

    done = run(tmp_path, SCRIPT.format(end=""), "--check", "auto")
    assert done.returncode == 1 and "not legal on a2a3" in done.stderr


FRONT_END = """
    from mlir.dialects import arith, func, pto as _pto
    from mlir.ir import Context, IndexType, InsertionPoint, Location, Module

    def constant(value):
        return arith.ConstantOp(IndexType.get(), value).result

    def kernel(function):
        with Context(), Location.unknown():
            module = Module.create()
            with InsertionPoint(module.body):
                made = func.FuncOp(function.__name__, ([], []))
            with InsertionPoint(made.add_entry_block()):
                function()
                func.ReturnOp([])
            return module
"""


def test_lines_are_those_of_the_script_and_not_of_a_front_end(tmp_path):
    (tmp_path / "ptodsl").mkdir()
    (tmp_path / "ptodsl" / "__init__.py").write_text(textwrap.dedent(FRONT_END))
    script = """
        import ptodsl

        @ptodsl.kernel
        def twice():
            ptodsl.constant(2)

        print(twice.operation.get_asm(enable_debug_info=True))
    """
    done = run(tmp_path, script, layer="ptodsl-old")
    assert done.returncode == 0, done.stderr
    constant = next(line for line in done.stdout.splitlines() if "arith.constant" in line)
    # Python 3.10 does not know columns.
    column = 4 if sys.version_info >= (3, 11) else 0
    assert constant.endswith(f'loc("{tmp_path}/script.py":6:{column})')


JIT = """
    from . import helpers

    class JitWrapper:
        def __init__(self, fn, meta_data=None):
            import inspect
            self._fn, self._meta_data, self._sig = fn, meta_data, inspect.signature(fn)
            self._block_dim, self._npu_arch, self._compiled = 2, "dav-2201", False

        def _resolve_runtime_arg_types(self):
            return ["ptr"]

        def __call__(self, *args):
            raise RuntimeError("there is no device")

    to_ir_module = helpers.to_ir_module
    _is_ptr_type = lambda kind: kind == "ptr"
"""

HELPERS = """
    from mlir.dialects import arith, func, pto
    from mlir.ir import Context, F32Type, IndexType, InsertionPoint, Location, Module

    def to_ir_module(meta_data):
        def decorate(function):
            with Context(), Location.unknown():
                module = Module.create()
                kind = func.FunctionType.get([pto.PtrType.get(F32Type.get())], [])
                with InsertionPoint(module.body):
                    made = func.FuncOp(function.__name__, kind)
                with InsertionPoint(made.add_entry_block()):
                    at = arith.IndexCastOp(IndexType.get(), pto.GetBlockIdxOp().result).result
                    pto.store_scalar(made.arguments[0], at, arith.ConstantOp(F32Type.get(), 2.5).result)
                    func.ReturnOp([])
                return module
        return decorate
"""


def test_kernels_with_jit_run_on_arrays(tmp_path):
    package = tmp_path / "ptodsl" / "compiler"
    package.mkdir(parents=True)
    (tmp_path / "ptodsl" / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "jit.py").write_text(textwrap.dedent(JIT))
    (package / "helpers.py").write_text(textwrap.dedent(HELPERS))
    script = """
        import numpy as np
        from ptodsl.compiler.jit import JitWrapper

        def kernel(x): ...

        x = np.zeros(4, np.float32)
        JitWrapper(kernel)(x)
        print(x)
    """
    done = run(tmp_path, script, layer="ptodsl-old")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[2.5 2.5 0.  0. ]"


WINDOW = """
func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 64 : index
  %vx = pto.make_tensor_view %x, shape = [%one, %n], strides = [%n, %one] : !pto.tensor_view<?x?xf32>
  %vy = pto.make_tensor_view %y, shape = [%one, %n], strides = [%n, %one] : !pto.tensor_view<?x?xf32>
  %behind = pto.partition_view %vx, offsets = [%zero, %n], sizes = [%one, %n] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
  %out = pto.partition_view %vy, offsets = [%zero, %zero], sizes = [%one, %n] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>
  pto.tload ins(%behind : !pto.partition_tensor_view<1x64xf32>) outs(%t : !pto.tile_buf<vec, 1x64xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x64xf32>) outs(%out : !pto.partition_tensor_view<1x64xf32>)
  return
}
"""


def test_windows_may_leave_their_tensor_but_not_the_memory():
    np = pytest.importorskip("numpy")
    program = pto.Program(WINDOW)
    x, y = np.arange(128, dtype=np.float32), np.zeros(64, np.float32)
    with pytest.raises(pto.Error, match="PTO-E0705"):
        program.run(x, y)
    program.run(x, y, open_windows=True)
    assert (y == x[64:]).all()
    with pytest.raises(pto.Error):
        program.run(x[:64].copy(), y, open_windows=True)
