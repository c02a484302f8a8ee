// Workers with the module, and requests to them.

/** Bytes of a text in base 64. */
function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** The compiled module. It is part of the page, compressed: what is unpacked is compiled while the rest is being unpacked. */
const compiled = (async () => {
  performance.mark("begin");
  const packed = fromBase64($("module").textContent.trim());
  performance.mark("decoded");
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const headers = { "Content-Type": "application/wasm" };
  const module = await WebAssembly.compileStreaming(new Response(stream, { headers }));
  performance.mark("compiled");
  return module;
})();

const workerUrl = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));

/** A worker that is started again when it is stopped, or when the module has failed. */
class Engine {
  constructor() {
    this.count = 0;
    this.waiting = new Map();
    this.begin();
  }

  begin() {
    this.worker = new Worker(workerUrl);
    this.worker.onmessage = ({ data }) => this.settle(data);
    this.worker.onerror = event => this.fail(new Error(event.message || "the worker stopped"));
    this.started = false;
    this.ready = compiled.then(module => this.post({ module }));
    this.ready.then(() => { this.started = true; }, () => {});
  }

  settle({ id, error, answer, files }) {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) {
      // The memory of a module that has failed is not to be trusted. One that cannot start will not start again.
      if (this.started) this.stop();
      waiting?.reject(new Error(`pto has failed: ${error}`));
    } else {
      waiting?.resolve({ ...answer, files });
    }
  }

  post(message) {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message });
    });
  }

  /** Answers a request. `files` are put before it, those in `take` come with the answer. */
  async ask(request, files = {}, take = []) {
    await this.ready;
    return this.post({ request, files, take });
  }

  /** Executes a command of `pto`. */
  command(words, files, take) {
    return this.ask({ command: words }, files, take);
  }

  fail(error) {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    waiting.forEach(({ reject }) => reject(error));
  }

  /** Ends whatever is going on. */
  stop() {
    this.worker.terminate();
    this.fail(new Error("stopped"));
    this.begin();
  }

  get isBusy() {
    return this.waiting.size > 0;
  }
}
