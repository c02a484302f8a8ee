// An array as a picture, and a window of it as a table.

const MOST_PIXELS = 512, WINDOW = 12;

/** What most of the finite numbers lie between, from a sample: a few large ones would leave the others without colours. */
function rangeOf(numbers) {
  const total = numbers.rows * numbers.cols, step = Math.max(1, Math.floor(total / 20000) | 1), sample = [];
  for (let i = 0; i < total; i += step) {
    const x = numbers.decode(numbers.view, i);
    if (Number.isFinite(x)) sample.push(x);
  }
  sample.sort((a, b) => a - b);
  const at = share => sample[Math.round(share * (sample.length - 1))] ?? 0;
  return [at(0.01), at(0.99)];
}

/** Blue below zero, orange above; one ramp if the numbers have one sign. NaN and infinities stand out. */
function colourOf(x, [low, high]) {
  if (Number.isNaN(x)) return [214, 39, 160];
  if (!Number.isFinite(x)) return [200, 0, 0];
  if (low < 0 && high > 0) {
    const most = Math.max(-low, high), t = x / most;
    const [r, g, b] = t < 0 ? [38, 110, 190] : [214, 110, 20], w = Math.min(1, Math.abs(t)) ** 0.7;
    return [245 + (r - 245) * w, 245 + (g - 245) * w, 245 + (b - 245) * w];
  }
  const t = high > low ? Math.max(0, Math.min(1, (x - low) / (high - low))) : 0.5;
  return [250 - 225 * t, 245 - 165 * t, 215 - 75 * t];
}

/** Colours of numbers as words of a picture: 256 between the ends of the range, then those of NaN and of infinity. */
function palette([low, high]) {
  const most = Math.max(-low, high), [from, to] = low < 0 && high > 0 ? [-most, most] : [low, high];
  const word = x => { const [r, g, b] = colourOf(x, [low, high]); return (255 << 24 | b << 16 | g << 8 | r) >>> 0; };
  const words = Uint32Array.from({ length: 258 }, (_, k) => word(k < 256 ? from + ((to - from) * k) / 255 : k === 256 ? NaN : Infinity));
  const scale = to > from ? 255 / (to - from) : 0, middle = to > from ? 0 : 128;
  return x => {
    if (!Number.isFinite(x)) return words[Number.isNaN(x) ? 256 : 257];
    return words[Math.max(0, Math.min(255, Math.round((x - from) * scale) + middle))];
  };
}

/** A picture of an array; a click moves the table to that place. */
function heatMap(numbers) {
  const rows = Math.min(numbers.rows, MOST_PIXELS), cols = Math.min(numbers.cols, MOST_PIXELS);
  const canvas = el("canvas", { width: Math.max(1, cols), height: Math.max(1, rows), tabindex: 0, "aria-label": "heat map; click to see the numbers" });
  const range = rangeOf(numbers), colour = palette(range);
  const source = (x, y) => [Math.floor((y / rows) * numbers.rows), Math.floor((x / cols) * numbers.cols)];
  if (rows && cols) {
    const pen = canvas.getContext("2d"), image = pen.createImageData(cols, rows), words = new Uint32Array(image.data.buffer);
    const columns = Array.from({ length: cols }, (_, x) => source(x, 0)[1]);
    for (let y = 0, at = 0; y < rows; y++) {
      const [row] = source(0, y);
      for (let x = 0; x < cols; x++) words[at++] = colour(numbers.at(row, columns[x]));
    }
    pen.putImageData(image, 0, 0);
  }
  const tall = Math.max(24, Math.min(240, rows * Math.max(2, Math.min(16, 320 / cols))));
  canvas.style.height = `${tall}px`;
  canvas.style.width = `${Math.min(480, Math.max(64, cols * Math.max(2, Math.min(16, 320 / cols))))}px`;
  const pointed = event => {
    const box = canvas.getBoundingClientRect();
    const x = Math.min(cols - 1, Math.floor(((event.clientX - box.left) / box.width) * cols));
    const y = Math.min(rows - 1, Math.floor(((event.clientY - box.top) / box.height) * rows));
    return source(Math.max(0, x), Math.max(0, y));
  };
  return { canvas, range, pointed };
}

/** The heat map, the number below the pointer, and a table of the numbers around the place that was clicked. */
function arrayView(numbers) {
  const { canvas, range, pointed } = heatMap(numbers);
  const said = el("p", { class: "quiet" }, `colours from ${shortNumber(range[0])} to ${shortNumber(range[1])}; click for numbers`);
  const table = el("table", { class: "numbers" });
  const fill = (row, col) => {
    const first = Math.max(0, Math.min(row, numbers.rows - WINDOW)), left = Math.max(0, Math.min(col, numbers.cols - WINDOW));
    const columns = Array.from({ length: Math.min(WINDOW, numbers.cols) }, (_, k) => left + k);
    const lines = Array.from({ length: Math.min(WINDOW, numbers.rows) }, (_, k) => first + k);
    const cell = (r, c) => el("td", { class: r === row && c === col ? "here" : "" }, shortNumber(numbers.at(r, c)));
    table.replaceChildren(
      el("tr", {}, el("th"), columns.map(c => el("th", {}, String(c)))),
      ...lines.map(r => el("tr", {}, el("th", {}, String(r)), columns.map(c => cell(r, c)))));
  };
  canvas.addEventListener("pointermove", event => {
    const [r, c] = pointed(event);
    said.textContent = `[${r}, ${c}] = ${shortNumber(numbers.at(r, c))}`;
  });
  canvas.addEventListener("click", event => fill(...pointed(event)));
  fill(0, 0);
  return el("div", { class: "array" }, el("div", {}, canvas, said), el("div", { class: "scroll" }, table));
}
