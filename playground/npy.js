// Arrays: NumPy's files, and the numbers of all element types.

/** Reads a `.npy` file whose numbers are of an element type of `pto`. */
function readNpy(bytes, type) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wide = bytes[6] > 1;
  const start = (wide ? 12 : 10) + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  const header = new TextDecoder("latin1").decode(bytes.subarray(wide ? 12 : 10, start));
  const shape = (header.match(/'shape':\s*\(([^)]*)\)/)?.[1] ?? "").split(",").map(n => n.trim()).filter(Boolean).map(Number);
  return new Numbers(bytes.slice(start), shape, type);
}

const float32 = new Float32Array(1), bits32 = new Uint32Array(float32.buffer);

function small(bits, exponent, mantissa, bias, special) {
  const sign = bits >> (exponent + mantissa) ? -1 : 1;
  const e = (bits >> mantissa) & ((1 << exponent) - 1), m = bits & ((1 << mantissa) - 1);
  const found = special(e, m);
  if (found !== undefined) return sign * found;
  const scale = 1 << mantissa;
  return sign * (e === 0 ? (m / scale) * 2 ** (1 - bias) : (1 + m / scale) * 2 ** (e - bias));
}

const ieee = top => (e, m) => (e === top ? (m ? NaN : Infinity) : undefined);

const DECODERS = {
  f32: (v, i) => v.getFloat32(4 * i, true),
  f16: (v, i) => small(v.getUint16(2 * i, true), 5, 10, 15, ieee(31)),
  bf16: (v, i) => { bits32[0] = v.getUint16(2 * i, true) << 16; return float32[0]; },
  f8e4m3: (v, i) => small(v.getUint8(i), 4, 3, 7, (e, m) => (e === 15 && m === 7 ? NaN : undefined)),
  f8e5m2: (v, i) => small(v.getUint8(i), 5, 2, 15, ieee(31)),
  f8e8m0: (v, i) => (v.getUint8(i) === 255 ? NaN : 2 ** (v.getUint8(i) - 127)),
  i8: (v, i) => v.getInt8(i), ui8: (v, i) => v.getUint8(i), hif8: (v, i) => v.getUint8(i),
  i16: (v, i) => v.getInt16(2 * i, true), ui16: (v, i) => v.getUint16(2 * i, true),
  i32: (v, i) => v.getInt32(4 * i, true), ui32: (v, i) => v.getUint32(4 * i, true),
  i64: (v, i) => Number(v.getBigInt64(8 * i, true)), ui64: (v, i) => Number(v.getBigUint64(8 * i, true)),
};

/** Numbers of an array, as a matrix: all dimensions but the last are rows. Types without a decoder here show their bytes. */
class Numbers {
  constructor(bytes, shape, type) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.shape = shape;
    this.decode = DECODERS[type] ?? DECODERS.ui8;
    this.cols = shape.length ? shape[shape.length - 1] : 1;
    this.rows = this.cols ? shape.slice(0, -1).reduce((all, n) => all * n, 1) : 0;
    // A long row is easier to look at as several.
    if (this.rows === 1 && this.cols > 4096 && this.cols % 1024 === 0) [this.rows, this.cols] = [this.cols / 1024, 1024];
  }

  at(row, col) {
    return this.decode(this.view, row * this.cols + col);
  }
}

/** A number in few characters. */
function shortNumber(x) {
  if (Number.isInteger(x) && Math.abs(x) < 1e7) return String(x);
  if (!Number.isFinite(x)) return String(x).replace("Infinity", "inf").replace("NaN", "nan");
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? x.toExponential(3) : x.toPrecision(5);
}
