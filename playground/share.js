// A link that holds the program: compressed, in the part of the address that is not sent anywhere.

const pipe = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();

async function pack(state) {
  const bytes = new Uint8Array(await pipe(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw")));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(text) {
  const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(await pipe(bytes, new DecompressionStream("deflate-raw"))));
}

async function saveState(state) {
  history.replaceState(null, "", `#p=${await pack(state)}`);
}

/** What the address says; nothing if it is not a link of this page. */
async function savedState() {
  const packed = location.hash.match(/^#p=(.+)/)?.[1];
  return packed ? unpack(packed).catch(() => null) : null;
}
