"""Comparisons for tests: `assert_close` names the first element that differs, by how much, and the line that stored it.

>>> import numpy, pto.testing
>>> pto.testing.assert_close(numpy.float32([1.0, 2.0]), [1.0, 2.0])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Comparison", "assert_close", "compare", "ulp_distance"]

#: Units in the last place that results may differ by, if a test states nothing: what a sum of a few dozen terms in any order needs.
_DEFAULT_ULP = 16


@dataclass(frozen=True)
class Comparison:
    """How two arrays differ. It is true if they are close."""

    #: Elements compared, and those that differ by more than is allowed.
    elements: int
    wrong: int
    #: The first of these: its index, what was found there, and what was expected.
    index: tuple[int, ...] | None
    actual: Any
    expected: Any
    #: Its distance in units in the last place of its type; `None` if one of the two is no number.
    ulp: int | None
    #: The largest differences of all elements.
    largest_absolute: float
    largest_relative: float
    #: The statement that stored the first wrong element: `file:line: text`.
    stored_by: str | None = None
    name: str = "the array"

    def __bool__(self) -> bool:
        return self.wrong == 0

    def __str__(self) -> str:
        if not self.wrong:
            return f"{self.name}: {self.elements} elements are close"
        distance = "" if self.ulp is None else f", {self.ulp} ulp apart"
        lines = [
            f"{self.name}: {self.wrong} of {self.elements} elements differ",
            f"  first at {list(self.index)}: {self.actual}, expected {self.expected}{distance}",
            f"  largest difference: {self.largest_absolute:.6g} absolute, {self.largest_relative:.6g} relative",
        ]
        if self.stored_by:
            lines.append(f"  stored by {self.stored_by}")
        return "\n".join(lines)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    ulp: int | None = None,
    equal_nan: bool = True,
    run: Any = None,
    name: str | None = None,
) -> None:
    """Raises `AssertionError` unless every element of `actual` is close to the one of `expected`.

    An element is close if it differs by at most `atol + rtol * |expected|`, or by at most `ulp` units in the last place of the type of
    `actual`. Without any of them, floats may differ by 16 ulp and integers not at all. Infinities and, with `equal_nan`, NaNs are equal
    to themselves.

    run: the result of the run (`pto.Program.run`, or a call of a kernel) that wrote `actual`; the message then names the statement
        that stored the first wrong element.
    """
    found = compare(
        actual, expected, rtol=rtol, atol=atol, ulp=ulp, equal_nan=equal_nan, run=run, name=name
    )
    if not found:
        raise AssertionError(str(found))


def compare(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    ulp: int | None = None,
    equal_nan: bool = True,
    run: Any = None,
    name: str | None = None,
) -> Comparison:
    """As `assert_close`, but returns what was found."""
    import numpy

    found, wanted = _array(actual), _array(expected)
    try:
        wanted = numpy.broadcast_to(wanted, found.shape)
    except ValueError:
        raise AssertionError(f"shape {_shape(found)}, expected {_shape(wanted)}") from None
    if name is None:
        name = _name_in(run, actual) or "the array"
    wrong, absolute, relative, distance = _differences(found, wanted, rtol, atol, ulp, equal_nan)
    count = int(numpy.count_nonzero(wrong))
    largest = (float(absolute.max(initial=0.0)), float(relative.max(initial=0.0)))
    if not count:
        return Comparison(found.size, 0, None, None, None, None, *largest, name=name)
    flat = int(numpy.argmax(wrong.reshape(-1)))
    index = tuple(int(i) for i in numpy.unravel_index(flat, found.shape)) if found.shape else ()
    apart = int(distance.reshape(-1)[flat]) if distance is not None else None
    return Comparison(
        found.size,
        count,
        index,
        found[index],
        wanted[index],
        None if apart is None or apart < 0 else apart,
        *largest,
        stored_by=_stored_by(run, name, found, flat),
        name=name,
    )


def ulp_distance(actual: Any, expected: Any):
    """For each element of `actual`, how many numbers of its type lie between it and `expected`; -1 if one of the two is NaN."""
    import numpy

    found = _array(actual)
    wanted = numpy.broadcast_to(_array(expected), found.shape)
    return _ulps(found, wanted.astype(found.dtype))


def _array(value: Any):
    """An array of NumPy around a tensor, an array or numbers."""
    import numpy

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(value.dtype) in ("torch.bfloat16", "torch.float8_e4m3fn", "torch.float8_e5m2"):
            return _small_float(value)
        return value.numpy()
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        return numpy.from_dlpack(value)
    return numpy.asarray(value)


def _small_float(tensor):
    """Torch gives NumPy no numbers that NumPy does not have itself: the same bytes, as a type of ml_dtypes."""
    import ml_dtypes
    import torch

    name = str(tensor.dtype).removeprefix("torch.")
    size = torch.uint16 if name == "bfloat16" else torch.uint8
    return tensor.contiguous().view(size).numpy().view(getattr(ml_dtypes, name))


def _is_float(dtype) -> bool:
    return dtype.kind == "f" or (dtype.kind == "V" and "float" in dtype.name)


def _differences(found, wanted, rtol, atol, ulp, equal_nan):
    """What is wrong, the absolute and relative differences, and the distances in ulp (`None` for integers)."""
    import numpy

    if found.dtype.kind in "biu" and wanted.dtype.kind in "biu":
        a, b = found.astype(object), wanted.astype(object)
        absolute = numpy.abs(a - b).astype(numpy.float64) if found.size else numpy.zeros(found.shape)
        exact = a == b
        allowed = (atol or 0.0) + (rtol or 0.0) * numpy.abs(b).astype(numpy.float64)
        return ~(exact | (absolute <= allowed)), absolute, _relative(absolute, b.astype(numpy.float64)), None
    a, b = found.astype(numpy.float64), wanted.astype(numpy.float64)
    with numpy.errstate(invalid="ignore", over="ignore"):
        absolute = numpy.abs(a - b)
    same = (a == b) | (numpy.isnan(a) & numpy.isnan(b) & equal_nan)
    absolute = numpy.where(same, 0.0, numpy.where(numpy.isnan(absolute), numpy.inf, absolute))
    close = same.copy()
    if atol is not None or rtol is not None:
        with numpy.errstate(invalid="ignore"):
            close |= absolute <= (atol or 0.0) + (rtol or 0.0) * numpy.where(numpy.isfinite(b), numpy.abs(b), 0.0)
    distance = None
    if _is_float(found.dtype):
        distance = _ulps(found, wanted.astype(found.dtype))
        if ulp is None and atol is None and rtol is None:
            ulp = _DEFAULT_ULP
        if ulp is not None:
            close |= (distance >= 0) & (distance <= ulp)
    return ~close, absolute, _relative(absolute, b), distance


def _relative(absolute, expected):
    import numpy

    with numpy.errstate(divide="ignore", invalid="ignore"):
        relative = absolute / numpy.abs(expected)
    return numpy.where(absolute == 0.0, 0.0, relative)


def _ulps(found, wanted):
    """Numbers in order of their bits: sign and magnitude become one integer."""
    import numpy

    bits = found.dtype.itemsize * 8

    def ordered(numbers):
        raw = numpy.ascontiguousarray(numbers).view(f"u{bits // 8}").reshape(numbers.shape).astype(numpy.int64)
        if bits == 64:
            raw = numpy.ascontiguousarray(numbers).view(numpy.int64).reshape(numbers.shape)
            return numpy.where(raw < 0, numpy.iinfo(numpy.int64).min - raw, raw)
        sign = numpy.int64(1) << (bits - 1)
        return numpy.where(raw & sign, sign - raw, raw)

    a, b = ordered(found), ordered(wanted)
    # Of two doubles with different signs, the distance may not fit.
    far = (a < 0) != (b < 0)
    with numpy.errstate(over="ignore"):
        distance = numpy.abs(a - b)
    distance = numpy.where(far & (distance < 0), numpy.iinfo(numpy.int64).max, distance)
    nan = numpy.isnan(found.astype(numpy.float64)) | numpy.isnan(wanted.astype(numpy.float64))
    return numpy.where(nan, -1, distance)


def _shape(array) -> str:
    return "x".join(map(str, array.shape)) or "of one number"


def _name_in(run: Any, actual: Any) -> str | None:
    """The parameter of a run that an array was given for."""
    if run is None:
        return None
    return next((name for name in run if run[name] is actual), None)


def _stored_by(run: Any, name: str, found, flat: int) -> str | None:
    """The statement of a run that stored an element."""
    if run is None or name not in run:
        return None
    return run.stored_by(name, flat * found.dtype.itemsize)
