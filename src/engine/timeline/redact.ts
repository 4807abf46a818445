import { RawJson } from '../json/index.ts';

/**
 * Names that hide their value, anywhere in a longer name and in any case. Two words match joined,
 * snake, kebab and camel case alike.
 */
const sensitive =
  /password|passwd|secret|token|authorization|cookie|api[_\-. ]?key|access[_\-. ]?key|private[_\-. ]?key|credential|ssn|card[_\-. ]?number|cvv/i;
/** A count of tokens is no token: its name is a plural, and its value a number or absent. */
const countOfTokens = /tokens/gi;
const redacted = '"[redacted]"';

/** Whether a name hints at a secret value. */
export const isSensitiveName = (name: string): boolean => sensitive.test(name);

/**
 * Hides the values of sensitive names at any depth of a log line's fields (2.6), before they are
 * stored. All other text stays as it was written. Takes valid JSON, in one pass without recursion.
 */
export function redactFields(fields: RawJson): RawJson {
  const { text } = fields;
  let result = '';
  let copied = 0;
  for (let at = text.indexOf('"'); at >= 0; ) {
    const end = endOfString(text, at);
    const colon = skipSpace(text, end);
    let next = end;
    // In valid JSON a string before a colon is a name, and nothing else is.
    if (text[colon] === ':') {
      const valueAt = skipSpace(text, colon + 1);
      if (hides(nameOf(text, at, end), text[valueAt])) {
        next = endOfValue(text, valueAt);
        result += text.slice(copied, valueAt) + redacted;
        copied = next;
      }
    }
    at = text.indexOf('"', next);
  }
  return copied === 0 ? fields : RawJson.trusted(result + text.slice(copied));
}

function hides(name: string, firstOfValue: string | undefined): boolean {
  if (!sensitive.test(name)) return false;
  const isCount = firstOfValue !== undefined && /[-0-9n]/.test(firstOfValue);
  return !isCount || sensitive.test(name.replace(countOfTokens, '|'));
}

function nameOf(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? String(JSON.parse(text.slice(start, end))) : name;
}

/** The position after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

const punctuation = /["[\]{},]/g;

/** The position after the value that starts at `start`. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    punctuation.lastIndex = at;
    const found = punctuation.exec(text);
    if (!found) return text.length;
    const closes = found[0] === ']' || found[0] === '}';
    if (depth === 0 && (closes || found[0] === ',')) return trimEnd(text, start, found.index);
    at = found[0] === '"' ? endOfString(text, found.index) : found.index + 1;
    if (closes) depth -= 1;
    else if (found[0] === '[' || found[0] === '{') depth += 1;
    if (depth === 0 && (closes || found[0] === '"')) return at;
  }
  return text.length;
}

/** A bare value (number, true, false, null) may be followed by space. */
function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && ' \n\r\t'.includes(text.charAt(at - 1))) at -= 1;
  return at;
}
