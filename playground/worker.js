// The module of `bindings/wasm` in a worker. A message is a request with files to put first and names of files to give back.
"use strict";

let api = null;
const encoder = new TextEncoder(), decoder = new TextDecoder();

const memory = () => new Uint8Array(api.memory.buffer);

function write(...parts) {
  const bytes = parts.map(part => (typeof part === "string" ? encoder.encode(part) : part));
  const total = bytes.reduce((sum, part) => sum + part.length, 0);
  let at = api.input(total);
  for (const part of bytes) {
    memory().set(part, at);
    at += part.length;
  }
  return bytes[0].length;
}

// A copy: the buffer in the module belongs to the next call.
const read = length => memory().slice(api.output(), api.output() + length);

function start(module) {
  const env = {
    now: () => performance.now(),
    failed: length => { throw new Error(decoder.decode(read(length)) || "the module stopped"); },
  };
  api = new WebAssembly.Instance(module, { env }).exports;
  api.start();
}

function put(name, bytes) {
  api.put(write(name, bytes));
}

function take(name) {
  write(name);
  const length = api.take(0);
  return length < 0 ? null : read(length);
}

function call(request) {
  write(JSON.stringify(request));
  return JSON.parse(decoder.decode(read(api.call())));
}

onmessage = ({ data }) => {
  try {
    if (data.module) {
      start(data.module);
      return postMessage({ id: data.id, answer: {} });
    }
    for (const [name, bytes] of Object.entries(data.files ?? {})) {
      put(name, typeof bytes === "string" ? encoder.encode(bytes) : bytes);
    }
    const from = performance.now();
    const answer = call(data.request);
    answer.milliseconds = performance.now() - from;
    const files = {};
    for (const name of data.take ?? []) {
      const bytes = take(name);
      if (bytes) files[name] = bytes;
    }
    postMessage({ id: data.id, answer, files }, Object.values(files).map(bytes => bytes.buffer));
  } catch (error) {
    postMessage({ id: data.id, error: error.message || String(error) });
  }
};
