/** The indentation of a text may take so much more room than the text. */
const maxGrowth = 4;

/**
 * Indents the text of JSON token by token. Nothing is parsed: numbers keep their digits, keys
 * their order and their repeats. Text that is not JSON comes back as it is. Long lists below
 * hundreds of levels would grow a thousandfold, so indentation ends where it has used up its room.
 */
export function indentJson(text: string): string {
  const out: string[] = [];
  let depth = 0;
  let at = 0;
  let room = text.length * maxGrowth + 2_000_000;
  const pad = (): string => {
    room -= 2 * depth;
    return room < 0 ? '\n' : `\n${'  '.repeat(depth)}`;
  };
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '"') {
      const end = endOfString(text, at);
      out.push(text.slice(at, end));
      at = end;
      continue;
    }
    at += 1;
    if (char === '{' || char === '[') {
      const next = skipSpace(text, at);
      const closing = text[next];
      if (closing === '}' || closing === ']') {
        out.push(char, closing);
        at = next + 1;
        continue;
      }
      depth += 1;
      out.push(char, pad());
    } else if (char === '}' || char === ']') {
      depth = Math.max(0, depth - 1);
      out.push(pad(), char);
    } else if (char === ',') {
      out.push(',', pad());
    } else if (char === ':') {
      out.push(': ');
    } else if (!isSpace(char)) {
      const start = at - 1;
      while (at < text.length && !/[\s{}[\],:"]/.test(text[at] as string)) at += 1;
      out.push(text.slice(start, at));
    }
  }
  return out.join('');
}

const isSpace = (char: string): boolean => char === ' ' || char === '\n' || char === '\t' || char === '\r';

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text[at] as string)) at += 1;
  return at;
}

/** The place after the closing quote. A string that never ends takes the rest. */
export function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(text.length, at + 1);
}

/** Strings up to this length are shown whole: the editor measures each line in one piece. */
export const maxShownString = 10_000;

export interface CutText {
  text: string;
  /** How many strings were cut. */
  cuts: number;
}

/** Cuts long strings of JSON, for showing only. */
export function cutLongStrings(text: string): CutText {
  const out: string[] = [];
  let cuts = 0;
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const isString = text[at] === '"';
    const end = isString ? endOfString(text, at) : at + 1;
    if (end - at > maxShownString) {
      out.push(text.slice(from, at + maxShownString), `… ${end - at - maxShownString} more characters`);
      from = isString && text[end - 1] === '"' ? end - 1 : end;
      cuts += 1;
    }
    at = end;
  }
  out.push(text.slice(from));
  return { text: cuts === 0 ? text : out.join(''), cuts };
}
