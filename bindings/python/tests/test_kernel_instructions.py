"""The functions of the instructions."""

import inspect

import pytest
from instruction_calls import CALLS

import pto
from pto import Gm, Index, Pipe, f32, instructions

FUNCTIONS = [name for name in instructions.__all__ if inspect.isfunction(getattr(instructions, name))]


def test_most_instructions_have_a_call():
    assert len(FUNCTIONS) > 280
    assert len(CALLS) * 5 > len(FUNCTIONS) * 4


@pytest.mark.parametrize("name", CALLS)
def test_it_can_be_called(name):
    kernel, target, alone = CALLS[name]
    program = kernel.trace()
    text = program.to_text("level2")
    again = pto.Program(text)
    assert again.to_text("level2") == text
    found = [d for d in program.check(target) if d.is_error]
    assert [d.code for d in found] == [d.code for d in again.check(target) if d.is_error], text
    assert not (alone and found), found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_is_documented_and_typed(name):
    function = getattr(pto, name)
    signature = inspect.signature(function, eval_str=True)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values())
    assert "Text: ``" in function.__doc__
    assert signature.parameters["after"].kind is inspect.Parameter.KEYWORD_ONLY


def trace(body):
    return pto.kernel(body).trace()


def wrong(body, message):
    with pytest.raises(TypeError, match=message):
        trace(body)


def test_numbers_take_the_type_of_the_tile():
    def kernel():
        t, n = pto.tile(16, 16, f32), pto.tile(16, 16, pto.i16)
        pto.tadds(t, t, 1)
        pto.tadds(n, n, 3)
        pto.texpands(t, float("-inf"))

    text = trace(kernel).to_text("level2")
    assert "1.0" in text and ": f32" in text and "3 : i16" in text and "0xFF800000" in text


def test_arguments_must_fit():
    def missing():
        pto.tadd(pto.tile(16, 16, f32), pto.tile(16, 16, f32), None)

    def not_a_tile(n: Index):
        pto.tadd(pto.tile(16, 16, f32), n, n)

    def fraction():
        t = pto.tile(16, 16, pto.i32)
        pto.tadds(t, t, 0.5)

    def word():
        pto.set_flag("MTE9", "V", 0)

    def other(x: Gm[f32]):
        pto.tload(pto.tile(16, 16, f32), object())

    def no_type():
        pto.treshape(pto.tile(16, 16, f32), f32)

    wrong(missing, "tadd: `src1`: it must be given")
    wrong(not_a_tile, "tadd: `src0`: a tile is needed, not index")
    wrong(fraction, "tadds: `scalar`: a scalar is needed, not `0.5` for i32")
    wrong(word, "set_flag: `src_pipe`: ")
    wrong(other, "a kernel cannot use object here")
    wrong(no_type, "treshape: a tile type is needed")


def test_enumerations_are_words_or_members():
    def members():
        pto.set_flag(Pipe.MTE2, Pipe.V, pto.Event.ID3)

    def words():
        pto.set_flag("MTE2", "pipe_v", "EVENT_ID3")

    def numbers():
        pto.set_flag("PIPE_MTE2", "PIPE_V", 3)

    texts = {trace(body).to_text("level2").replace(body.__name__, "k") for body in (members, words, numbers)}
    assert len(texts) == 1, texts


def test_types_that_only_the_text_has():
    def several(n: Index):
        tiles = pto.alloc_multi_tile("!pto.multi_tile_buf<vec, 8x64xi32, count=2>")
        pto.multi_tile_get(tiles, n, pto.TileType(8, 64, pto.i32))
        events = pto.declare_eventid_array("!pto.eventid_array<4>")
        pto.eventid_array_get(events, 1)

    assert not trace(several).check("a2a3")
    wrong(lambda: pto.declare_eventid_array("nonsense"), "declare_eventid_array: a type as the text writes it")


def test_results_that_are_several():
    @pto.kernel
    def extents(x: Gm[pto.i32], n: Index):
        t = pto.tile(16, 16, f32, valid=(n, 8))
        rows, cols = pto.get_validshape(t)
        x[0] = rows.cast(pto.i32)
        x[1] = cols.cast(pto.i32)

    import numpy as np

    x = np.zeros(2, np.int32)
    extents(x, 5)
    assert x.tolist() == [5, 8]
