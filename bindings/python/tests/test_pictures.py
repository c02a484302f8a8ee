"""Tiles: what they hold at the end of a run, and their pictures."""

import numpy as np
import pytest

import pto
from pto import Gm, Index, f16, f32, i32


@pto.kernel
def part(x: Gm[f32], y: Gm[f32]):
    t = pto.tile(16, 64, f32, valid=(10, 64))
    pto.tload(t, x.view(10, 64))
    u = pto.tile(16, 64, f32, valid=(10, 64))
    pto.texp(u, t)
    pto.tstore(y.view(10, 64), u)


@pytest.fixture
def x():
    return np.random.default_rng(0).standard_normal((10, 64)).astype(np.float32)


def test_tiles_after_a_run(x):
    result = part(x, np.zeros_like(x), tiles=True)
    assert [t.name for t in result.tiles] == ["t", "u"] and result.tiles.left_out == 0
    t, u = result.tiles
    assert (t.shape, t.valid, t.memory, t.dtype, t.block, t.core, t.address) == ((16, 64), (10, 64), "vec", "f32", 0, None, None)
    assert t.array.dtype == np.float32 and (t.array[:10] == x).all() and (np.asarray(t) == t.array).all()
    assert (u.array[:10] == result["y"]).all() and (u.numbers[:10] == result["y"]).all()
    assert u.written[:10].all() and not u.written[10:].any()
    assert repr(t) == "<tile t, block 0: vec 16x64 f32, valid 10x64>"
    assert result.tile("%u").name == "u"
    facts = t.to_json()
    assert facts["valid"] == [10, 64] and facts["name"] == "t" and facts["max"] == float(x.max())


def test_only_tiles_that_are_asked_for(x):
    assert [t.name for t in part(x, np.zeros_like(x), tiles="u").tiles] == ["u"]
    assert [t.name for t in part(x, np.zeros_like(x), tiles=["%t", "nothing"]).tiles] == ["t"]
    with pytest.raises(RuntimeError, match=r"run\(..., tiles=True\)"):
        part(x, np.zeros_like(x)).tiles
    with pytest.raises(KeyError, match="no core wrote a tile 'v'.*kept are t, u"):
        part(x, np.zeros_like(x), tiles=True).tile("v")
    with pytest.raises(TypeError, match="several names"):
        part(x, np.zeros_like(x), tiles=3)


def test_blocks_and_cores():
    @pto.kernel
    def numbered(y: Gm[i32]):
        t = pto.tile(1, 8, i32)
        block = pto.get_block_idx()
        pto.texpands(t, block.cast(i32))
        pto.tstore(y.view(4, 8)[block.index()], t)

    y = np.zeros((4, 8), np.int32)
    for threads in (1, 3):
        result = numbered[4](y, tiles=True, threads=threads)
        assert [(t.block, int(t.array[0, 0])) for t in result.tiles] == [(n, n) for n in range(4)]
        assert result.tile("t", block=2).array[0, 7] == 2
    with pytest.raises(KeyError, match="in block 9"):
        result.tile("t", block=9)


def test_cube_tiles_are_in_order_of_rows():
    program = pto.Program("""
      func.func @product(%a: !pto.tensor_view<32x32xf16>, %b: !pto.tensor_view<32x32xf16>, %c: !pto.tensor_view<32x32xf32>) {
        %am = pto.alloc_tile : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>
        %bm = pto.alloc_tile : !pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>
        %l = pto.alloc_tile : !pto.tile_buf<left, 32x32xf16, blayout=row_major, slayout=row_major>
        %r = pto.alloc_tile : !pto.tile_buf<right, 32x32xf16, blayout=row_major, slayout=col_major>
        %o = pto.alloc_tile : !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
        pto.tload ins(%a) outs(%am)
        pto.tload ins(%b) outs(%bm)
        pto.tmov ins(%am) outs(%l)
        pto.tmov ins(%bm) outs(%r)
        pto.tmatmul ins(%l, %r) outs(%o)
        pto.tstore ins(%o) outs(%c)
        return
      }""")
    a, b = (np.random.default_rng(n).integers(-4, 5, (32, 32)).astype(np.float16) for n in (1, 2))
    result = program.run(a, b, np.zeros((32, 32), np.float32), tiles=True)
    for name, wanted in (("am", a), ("bm", b), ("l", a), ("r", b), ("o", result["c"])):
        assert (result.tile(name).array == wanted).all(), name
    assert result.tile("o").array.dtype == np.float32 and result.tile("l").array.dtype == np.float16


def test_a_lowered_program_has_addresses(x):
    result = part.trace().lower("a2a3").run(x, np.zeros_like(x), tiles=True)
    assert {t.name: t.address for t in result.tiles}.keys() == {"t", "u"}
    assert all(isinstance(t.address, int) for t in result.tiles)


def test_a_run_that_fails_shows_what_it_printed_and_its_tiles(capsys):
    @pto.kernel
    def stops(x: Gm[f32], n: Index):
        t = pto.tile(1, 8, f32)
        pto.texpands(t, 2.0)
        pto.tprint(t)
        pto.tload(t, x.view(100, 8)[n : n + 1, :])

    x = np.zeros(8, np.float32)
    for blocks, threads in ((1, 1), (3, 1), (3, 2)):
        with pytest.raises(pto.RunError) as raised:
            stops[blocks](x, 50, tiles=True, threads=threads)
        assert capsys.readouterr().out.split("\n")[0].split("  ")[1:3] == ["%t", "vec f32 1x8"]
        assert (raised.value.tiles.find("t").array == 2).all()
    with pytest.raises(pto.RunError) as raised:
        stops(x, 50)
    assert raised.value.tiles is None
    assert stops[3](x, 0).printed and len(capsys.readouterr().out.splitlines()) == 2 + 6


def test_pictures_mark_what_is_not_valid_not_a_number_and_not_written(x):
    x[3, 5], x[4, 6] = np.nan, np.inf
    t = part(x, np.zeros_like(x), tiles=True).tile("t")
    page = t._repr_html_()
    assert page.count('class="valid"') == 1 and "valid 10x64" in page and "1 nan" in page and "1 inf" in page
    assert page.count('"#dd0000"') == 1 and page.count('"#000000"') == 1 and page.count("not written") == 6 * 64
    assert "[3, 5] nan" in page and "[4, 6] inf" in page and f"[0, 1] {x[0, 1]:.6g}" in page
    assert "<svg" in pto.heatmap(t)._repr_html_() and "t, block 0" in pto.heatmap(t).to_html()
    big = pto.heatmap(np.ones((300, 1000)), valid=(150, 700))
    page = big._repr_html_()
    assert page.count("<rect") == 1 and "data:image/png;base64," in page and len(page) < 60_000
    assert big.to_json()["valid"] == [150, 700]


def test_large_pictures_are_images():
    import base64
    import struct
    import zlib

    numbers = np.zeros((256, 256))
    numbers[0, 0], numbers[255, 255], numbers[0, 255], numbers[255, 0] = np.nan, np.inf, 4.0, -4.0
    page = pto.heatmap(numbers)._repr_html_()
    image = base64.b64decode(page.split("base64,")[1].split('"')[0])
    assert image.startswith(b"\x89PNG") and struct.unpack(">II", image[16:24]) == (128, 128)
    length = struct.unpack(">I", image[33:37])[0]
    lines = np.frombuffer(zlib.decompress(image[41 : 41 + length]), np.uint8).reshape(128, 1 + 3 * 128)[:, 1:].reshape(128, 128, 3)
    corners = [tuple(int(n) for n in lines[r, c]) for r, c in ((0, 0), (127, 127), (64, 64))]
    assert corners == [(221, 0, 0), (0, 0, 0), (255, 255, 255)]
    # Means of four elements, one of them 4 or -4.
    assert lines[0, 127, 2] < 255 and lines[127, 0, 0] < 255


def test_packed_numbers_of_four_bits():
    program = pto.Program("""
      func.func @load(%x: !pto.tensor_view<2x32x!pto.f4E2M1x2>) {
        %t = pto.alloc_tile : !pto.tile_buf<vec, 2x32x!pto.f4E2M1x2>
        pto.tload ins(%x) outs(%t)
        return
      }""")
    t = program.run(np.full((2, 32), 0x21, np.uint8), target="a5", tiles=True).tile("t")
    assert t.array.shape == (2, 32) and (t.array == 0x21).all() and t.written.shape == t.numbers.shape == (2, 64)
    assert t.numbers[0, :4].tolist() == [0.5, 1.0, 0.5, 1.0] and t._repr_html_()


def test_tiles_in_a_kernel_show_themselves():
    seen = []

    @pto.kernel
    def shown(x: Gm[f16], n: Index):
        t = pto.tile(16, 64, f16, valid=(n, 32))
        seen.extend([t, repr(t), t._repr_html_()])
        pto.tload(t, x.view(n, 32))

    shown.trace()
    tile, text, page = seen
    assert text == "<tile t: vec 16x64 f16, valid ?x32>"
    assert "t: vec 16x64 f16, valid ?x32" in page and "stroke-dasharray" in page
    assert repr(tile) == "<tile of a kernel that was traced>" and tile._repr_html_()
    assert 'class="valid"' in pto.TileType(4, 8, f32)._repr_html_()
