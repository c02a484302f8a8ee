"""Every problem of a kernel points at its line of Python."""

import linecache
import threading

import numpy as np
import pytest

import pto
from pto import Gm, Index, f32, i32

HERE = __file__


def line_of(marker):
    """The line with this comment."""
    lines = open(HERE).read().splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.endswith(f"# {marker}"))


def test_diagnostics_show_the_line():
    @pto.kernel
    def wrong():
        a, b = pto.tile(16, 16, f32), pto.tile(16, 32, i32)
        pto.tadd(a, a, b)  # mixed types

    problem = next(d for d in wrong.trace().check("a2a3") if d.is_error)
    assert (problem.file, problem.line) == (HERE, line_of("mixed types"))
    assert "pto.tadd(a, a, b)" in str(problem)


def test_races_show_both_lines():
    @pto.kernel
    def racy(x: Gm[f32], y: Gm[f32]):
        t = pto.tile(16, 16, f32)
        pto.tassign(t, 0)
        pto.tload(t, x.view(16, 16))  # written
        pto.tstore(y.view(16, 16), t)  # read

    report = racy.trace().race(np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float32))
    assert report
    text = str(report)
    assert f"test_kernel_errors.py:{line_of('written')}" in text and f"test_kernel_errors.py:{line_of('read')}" in text


def test_what_stops_a_run_has_its_line():
    @pto.kernel
    def outside(x: Gm[f32], n: Index):
        t = pto.tile(16, 16, f32)
        pto.tload(t, x.view(64, 16)[n : n + 16, :])  # outside

    with pytest.raises(pto.Error) as error:
        outside(np.zeros((16, 16), np.float32), 16)
    assert f"test_kernel_errors.py:{line_of('outside')}" in str(error.value)


def test_emitted_code_names_the_lines():
    @pto.kernel
    def copy(x: Gm[f32], y: Gm[f32]):
        t = pto.tile(16, 16, f32)
        pto.tload(t, x.view(16, 16))  # loads
        pto.tstore(y.view(16, 16), t)

    assert f"// {line_of('loads')}\n" in copy.trace().emit_cpp("a2a3")


def test_helpers_have_their_own_lines():
    def helper(t):
        pto.tadd(t, t, pto.tile(16, 16, i32))  # in the helper

    @pto.kernel
    def calls():
        helper(pto.tile(16, 16, f32))

    problem = next(d for d in calls.trace().check("a5") if d.is_error)
    assert problem.line == line_of("in the helper")


def test_code_without_a_file():
    source = "import pto\n@pto.kernel\ndef k():\n    a = pto.tile(16, 16, pto.f32)\n    pto.tadd(a, a, pto.tile(16, 16, pto.i32))\n"
    plain, known = {}, {}
    exec(compile(source, "<no file>", "exec"), plain)
    problem = next(d for d in plain["k"].trace().check("a5") if d.is_error)
    assert (problem.file, problem.line) == ("<no file>", 5)
    # What notebooks do: their cells are in the line cache.
    linecache.cache["<cell 1>"] = (len(source), None, source.splitlines(True), "<cell 1>")
    exec(compile(source, "<cell 1>", "exec"), known)
    problem = next(d for d in known["k"].trace().check("a5") if d.is_error)
    assert "pto.tadd(a, a, pto.tile(16, 16, pto.i32))" in str(problem)


def test_values_of_another_kernel():
    kept = []

    @pto.kernel
    def first(n: Index):
        t = pto.tile(16, 16, f32)
        kept.extend([t, n, pto.tadd(t, t, t)])

    first.trace()

    def use(what):
        @pto.kernel
        def second(m: Index):
            what(pto.tile(16, 16, f32), m)

        with pytest.raises(RuntimeError, match="belongs to another kernel"):
            second.trace()

    use(lambda t, m: pto.tadd(t, t, kept[0]))
    use(lambda t, m: m + kept[1])
    use(lambda t, m: kept[1] * 2)
    use(lambda t, m: pto.tadd(t, t, t, after=kept[2]))
    with pytest.raises(RuntimeError, match="@pto.kernel"):
        pto.tadd(kept[0], kept[0], kept[0])
    with pytest.raises(RuntimeError, match="@pto.kernel"):
        kept[1] + 1


def test_loops_cannot_be_left():
    def left_with_break(n: Index):
        for _ in pto.range(n):  # left
            break

    def left_with_return(n: Index):
        with pto.when(n > 0):
            for _ in pto.range(n):  # left too
                return

    for body, marker in ((left_with_break, "left"), (left_with_return, "left too")):
        with pytest.raises(RuntimeError, match=f"the loop of line {line_of(marker)} was left before its end"):
            pto.kernel(body).trace()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda n: pto.otherwise().__enter__(), "follows the block"),
        (lambda n: [None for _ in pto.range(n, carry=n)], "update"),
        (lambda n: pto.range(n).update(n), "belongs into the body"),
        (lambda n: pto.range(n, carry=1.0).__next__(), "needs a type"),
        (lambda n: pto.tile(16, 16, f32)(), "not callable"),
        (lambda n: pto.tile(16, 16, f32, memory="ub"), 'memory is "ub"; it is one of'),
        (lambda n: pto.tile(16, 16, pto.index), "a tile cannot have elements of index"),
        (lambda n: pto.TileType(16, 16, f32, valid=(pto.DYN, 16))(), "needs its valid rows"),
        (lambda n: pto.function(lambda: 1, core="cube"), "returns something"),
        (lambda n: pto.function(lambda: None, core="gpu"), "it is \"cube\" or \"vector\""),
    ],
)
def test_misuse_says_what_is_wrong(body, message):
    def kernel(n: Index):
        body(n)

    with pytest.raises((TypeError, RuntimeError, ValueError), match=message):
        pto.kernel(kernel).trace()


def test_signatures_must_be_those_of_kernels():
    def untyped(x):
        pass

    def several(*x: Index):
        pass

    def number(x: int):
        pass

    async def later(x: Index):
        pass

    for body in (untyped, several, number, later):
        with pytest.raises(TypeError, match=body.__name__):
            pto.kernel(body)

    @pto.kernel
    def returns(x: Index):
        return x

    with pytest.raises(TypeError, match="returns something"):
        returns.trace()


@pto.kernel
def named_kernel(x: Gm[f32]):
    x[0] = 1.0


def test_kernels_look_like_functions():
    import inspect
    import pickle

    assert pickle.loads(pickle.dumps(named_kernel)) is named_kernel
    assert str(inspect.signature(named_kernel)) == "(x: pto.tiles.Gm[pto.scalars.f32])"
    assert (named_kernel.__name__, named_kernel.__module__) == ("named_kernel", __name__)
    assert repr(named_kernel) == "<pto.kernel named_kernel(x)>"


def test_an_exception_leaves_nothing_behind():
    @pto.kernel
    def fails(n: Index):
        for _ in pto.range(n):
            raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        fails.trace()
    with pytest.raises(RuntimeError, match="@pto.kernel"):
        pto.tile(16, 16, f32)


def test_kernels_are_traced_in_threads_and_inside_others():
    @pto.kernel
    def inner(x: Gm[f32], *, n: int):
        for i in range(n):
            x[i] = float(i)

    @pto.kernel
    def outer(x: Gm[f32]):
        lines = inner.trace(n=3).to_text("level2").count("store")
        x[lines] = 1.0
        with pytest.raises(TypeError, match="another kernel cannot call it"):
            inner(x, n=1)

    assert "%c3" in outer.trace().to_text("level2")
    texts = []
    threads = [threading.Thread(target=lambda n=n: texts.append(inner.trace(n=n).to_text("level2"))) for n in range(4, 12)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(set(texts)) == 8


def test_reports_show_lines_of_python():
    @pto.kernel
    def racy(x: Gm[f32], y: Gm[f32]):
        t = pto.tile(16, 16, f32)
        pto.tassign(t, 0)
        pto.tload(t, x.view(16, 16))  # first
        pto.tstore(y.view(16, 16), t)  # second

    @pto.kernel
    def plain(x: Gm[f32], y: Gm[f32]):
        t = pto.tile(16, 16, f32)
        pto.tload(t, x.view(16, 16))  # loaded
        pto.tstore(y.view(16, 16), t)  # stored

    for program in (plain.trace(), plain.trace().lower("a2a3")):
        perf = str(program.perf())
        assert f"line {line_of('loaded')}: pto.tload(t, x.view(16, 16))" in perf, perf
    plan = str(plain.trace().plan("a2a3"))
    assert f"{line_of('loaded')}–{line_of('stored')}" in plan, plan
    race = racy.trace().race(np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float32))
    assert f"'line': {line_of('second')}" in str(race.to_json())
    assert "pto.tstore(y.view(16, 16), t)" in race._repr_html_()


def test_reports_show_the_line_that_led_to_another_file():
    helper = {}
    exec(compile("import pto\ndef store(y, t):\n    pto.tstore(y, t)\n", "<helper>", "exec"), helper)

    @pto.kernel
    def calls(x: Gm[f32], y: Gm[f32]):
        t = pto.tile(16, 16, f32)
        pto.tload(t, x.view(16, 16))
        helper["store"](y.view(16, 16), t)  # through

    assert f'line {line_of("through")}: helper["store"]' in str(calls.trace().perf())
