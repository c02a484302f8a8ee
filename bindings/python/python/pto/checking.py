"""Runs that are checked besides: `pto.config(check=…)`, `PTO_CHECK`."""

from __future__ import annotations

from .errors import ArgumentError, ResultError

__all__ = ["run"]


def run(program, checks, args, named, target, entry, blocks, threads, seed, copy, numerics, uninitialised, strict, open_windows, tiles):
    """Runs a program with checks: `race` on copies before the run, `bounds` before it, `nan` after it."""
    if "race" in checks:
        program.race(*args, target=target, entry=entry, blocks=blocks, seed=seed, strict=True, **named)
    if "bounds" in checks:
        strict = True
        _shapes_fit(program, args, named, target, entry, blocks)
    if "nan" in checks and uninitialised is None:
        uninitialised = "nan"
    result = program._core.run(
        args, named, target, entry, blocks, threads, seed, copy, numerics, uninitialised, strict, open_windows, tiles
    )
    if "nan" in checks:
        _no_nan(result)
    return result


def _shapes_fit(program, args, named, target, entry, blocks) -> None:
    """Arrays have the shape in which the program sees them: flat, or with the same rows."""
    params = program.params(target, entry)
    given = dict(zip((name for name, *_ in params), args)) | named
    scalars = [given.get(name) if kind == "scalar" else None for name, kind, *_ in params]
    needed = program._core.extents(scalars, target, entry, blocks)
    for (name, kind, *_), extent in zip(params, needed):
        shape = getattr(given.get(name), "shape", None)
        if kind != "pointer" or extent is None or shape is None:
            continue
        elements, wanted, is_clear = extent
        count = 1
        for n in shape:
            count *= n
        if count < elements:
            raise ArgumentError(f"`{name}` has {count} elements; the program needs {elements} ({_shape(wanted)})")
        if is_clear and not _has_rows(shape, wanted):
            raise ArgumentError(f"the program sees `{name}` as {_shape(wanted)}, and the array is {_shape(shape)}")


def _has_rows(found, wanted) -> bool:
    found, wanted = ([n for n in shape if n != 1] for shape in (found, wanted))
    return len(found) <= 1 or len(wanted) <= 1 or (len(found) == len(wanted) and found[1:] == wanted[1:])


def _shape(shape) -> str:
    return "x".join(map(str, shape))


def _no_nan(result) -> None:
    import numpy

    from .arrays import _view

    for name, array in result.outputs.items():
        numbers = array if isinstance(array, numpy.ndarray) else _as_numpy(array, _view)
        if numbers is None or numbers.dtype.kind not in "fV" or numbers.dtype.name.startswith("uint"):
            continue
        bad = numpy.isnan(numbers.astype(numpy.float32))
        if bad.any():
            at = tuple(int(i) for i in numpy.argwhere(bad)[0])
            raise ResultError(f"`{name}` has {int(bad.sum())} elements that are not a number; the first is at {at}")


def _as_numpy(array, view):
    if hasattr(array, "detach"):
        array = array.detach()
        return array.float().numpy() if hasattr(array, "float") else None
    return view(array)
