// Elements.

const $ = id => document.getElementById(id);

/** An element with attributes and children; functions among the attributes are listeners. */
function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== false && value != null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child != null && child !== false));
  return element;
}

/** Text with parts in backquotes as code. */
function inline(text) {
  return text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
}

/** The Markdown that cards use: paragraphs, lists, fences, tables as text, **bold** and `code`. */
function markdown(text) {
  const blocks = [];
  const parts = text.split(/^```.*$/m);
  parts.forEach((part, at) => {
    if (at % 2) return blocks.push(el("pre", {}, part.replace(/^\n|\n$/g, "")));
    for (const paragraph of part.split(/\n\s*\n/)) {
      if (paragraph.trim()) blocks.push(block(paragraph.trim()));
    }
  });
  return blocks;
}

function block(text) {
  if (/^\s*\|/.test(text)) return el("pre", {}, text);
  if (/^[-*] /.test(text)) {
    return el("ul", {}, text.split(/\n[-*] /).map(item => el("li", {}, spans(item.replace(/^[-*] /, "")))));
  }
  const heading = text.match(/^#+ (.*)/);
  return heading ? el("h4", {}, spans(heading[1])) : el("p", {}, spans(text));
}

function spans(text) {
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return plain.split(/(`[^`]*`|\*\*[^*]*\*\*)/).map(part => {
    if (part.startsWith("`")) return el("code", {}, part.slice(1, -1));
    return part.startsWith("**") ? el("b", {}, part.slice(2, -2)) : part;
  });
}

/** Calls a function when nothing has happened for a while. */
function debounced(milliseconds, work) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), milliseconds);
  };
}

const count = (n, one, many = one + "s") => `${n} ${n === 1 ? one : many}`;
