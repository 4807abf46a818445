/**
 * Steps over JSON text by character codes. Every function trusts its input to be valid JSON, except
 * `nestingExceeds`, which runs before validation.
 */
const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const comma = 0x2c;

/** For strings up to this length, a loop is faster than `indexOf`. */
const shortString = 24;

/**
 * The index after the closing quote of the string that opens at `start`; the text's length if it
 * never closes.
 */
export function skipString(text: string, start: number): number {
  const length = text.length;
  const near = Math.min(start + shortString, length);
  let at = start + 1;
  while (at < near) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    at += code === backslash ? 2 : 1;
  }
  return skipLongString(text, at);
}

/** `from` is inside a string, but not at an escaped character. */
function skipLongString(text: string, from: number): number {
  let search = from;
  for (;;) {
    const end = text.indexOf('"', search);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (end - 1 - backslashes >= search && text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
    search = end + 1;
  }
}

/**
 * Whether arrays and objects nest deeper than `maxDepth`. Reads the text once, without recursion,
 * even if invalid.
 */
export function nestingExceeds(text: string, maxDepth: number): boolean {
  const length = text.length;
  let depth = 0;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = skipString(text, at);
      continue;
    }
    if (code === openBrace || code === openBracket) {
      if (++depth > maxDepth) return true;
    } else if (code === closeBrace || code === closeBracket) depth--;
    at++;
  }
  return false;
}

/** The index of the first character from `at` on that is not white space. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) <= 0x20) next++;
  return next;
}

export function skipValue(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === quote) return skipString(text, start);
  if (code === openBrace || code === openBracket) return skipContainer(text, start);
  return skipScalar(text, start);
}

function skipContainer(text: string, start: number): number {
  const length = text.length;
  let depth = 1;
  let at = start + 1;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = skipString(text, at);
      continue;
    }
    at++;
    if (code === openBrace || code === openBracket) depth++;
    else if ((code === closeBrace || code === closeBracket) && --depth === 0) return at;
  }
  return length;
}

function skipScalar(text: string, start: number): number {
  const length = text.length;
  let at = start;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === comma || code === closeBrace || code === closeBracket) break;
    at++;
  }
  return at;
}
