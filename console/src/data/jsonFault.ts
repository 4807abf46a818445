/** Where a text stops being JSON, and what to mend there. */
export interface JsonFault {
  /** The place in the text. */
  at: number;
  /** From 1 on. */
  line: number;
  column: number;
  what: string;
}

/** The first place at which a text is no JSON. Undefined for JSON, and for no text at all. */
export function findFault(text: string): JsonFault | undefined {
  if (text.trim() === '') return undefined;
  const fault = scan(text);
  if (!fault) return undefined;
  const before = text.slice(0, fault.at);
  const line = before.split('\n').length;
  return { ...fault, line, column: fault.at - (before.lastIndexOf('\n') + 1) + 1 };
}

type Fault = Pick<JsonFault, 'at' | 'what'>;

/** What may come next. */
type Wanted = 'value' | 'first item' | 'key' | 'first key' | 'colon' | 'rest';

const closingOf = { '{': '}', '[': ']' } as const;

type Open = ('{' | '[')[];

/** The place after a token, and what may follow it. */
interface Step {
  end: number;
  wanted: Wanted;
}

/** Reads token by token, without recursion: a text may have thousands of levels. */
function scan(text: string): Fault | undefined {
  const open: Open = [];
  let step: Step = { end: 0, wanted: 'value' };
  for (;;) {
    const at = skipSpace(text, step.end);
    const level = open.at(-1);
    if (at === text.length) {
      if (level) return { at, what: `the closing ${closingOf[level]} is missing` };
      return step.wanted === 'rest' ? undefined : { at, what: 'a value is missing' };
    }
    const next =
      step.wanted === 'rest' ? readRest(text, at, { open, end: step.end }) : readPart(text, at, { open, step });
    if ('what' in next) return next;
    step = next;
  }
}

/** After a value: a comma, or the end of its list or object. */
function readRest(text: string, at: number, { open, end }: { open: Open; end: number }): Step | Fault {
  const level = open.at(-1);
  const char = text[at] as string;
  if (!level) return { at, what: 'the text goes on after its value' };
  if (char === ',') return { end: at + 1, wanted: level === '{' ? 'key' : 'value' };
  if (char === closingOf[level]) {
    open.pop();
    return { end: at + 1, wanted: 'rest' };
  }
  return /[\]}:]/.test(char)
    ? { at, what: `${char} stands where , or ${closingOf[level]} belongs` }
    : { at: end, what: `a comma or ${closingOf[level]} is missing` };
}

/** A key, a colon or a value; or the end of an empty list or object. */
function readPart(text: string, at: number, { open, step }: { open: Open; step: Step }): Step | Fault {
  const { end, wanted } = step;
  const level = open.at(-1);
  const char = text[at] as string;
  if (level && char === closingOf[level]) {
    if (wanted === 'colon' || (wanted === 'value' && level === '{'))
      return { at, what: 'the value of the key is missing' };
    if (wanted === 'value' || wanted === 'key') return { at, what: `the comma before ${char} is one too many` };
    open.pop();
    return { end: at + 1, wanted: 'rest' };
  }
  if (wanted === 'colon')
    return char === ':' ? { end: at + 1, wanted: 'value' } : { at: end, what: 'a colon is missing' };
  if (wanted === 'key' || wanted === 'first key') {
    if (char !== '"') return { at, what: /[\w'$]/.test(char) ? 'a key needs double quotes' : 'a key is missing' };
    const key = readString(text, at);
    return typeof key === 'number' ? { end: key, wanted: 'colon' } : key;
  }
  if (char === '{' || char === '[') {
    open.push(char);
    return { end: at + 1, wanted: char === '{' ? 'first key' : 'first item' };
  }
  const value = char === '"' ? readString(text, at) : readWord(text, at);
  return typeof value === 'number' ? { end: value, wanted: 'rest' } : value;
}

const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\n' || char === '\t' || char === '\r';

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at += 1;
  return at;
}

/** The place after a string, or its fault. */
function readString(text: string, from: number): number | Fault {
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char === '"') return at + 1;
    if (char === '\n' || char === '\r') break;
    if (char < ' ') return { at, what: `a string holds ${codeOf(char)} as an escape only` };
    if (char !== '\\') continue;
    at += 1;
    const escaped = text[at];
    if (escaped === undefined) break;
    if (escaped === 'u' && !/^[\da-fA-F]{4}$/.test(text.slice(at + 1, at + 5)))
      return { at: at - 1, what: String.raw`\u needs four hexadecimal digits` };
    if (!/["\\/bfnrtu]/.test(escaped)) return { at: at - 1, what: `\\${escaped} is no escape` };
  }
  return { at: from, what: 'the string does not end on its line' };
}

const number = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const word = /[^ \t\r\n,:[\]{}"]+/y;

/** The place after a number, `true`, `false` or `null`, or the fault of another text. */
function readWord(text: string, at: number): number | Fault {
  word.lastIndex = at;
  const [found] = word.exec(text) ?? [];
  if (found === undefined)
    return { at, what: text[at] === ',' ? 'a value is missing before the comma' : 'a value is missing' };
  if (found === 'true' || found === 'false' || found === 'null') return at + found.length;
  number.lastIndex = at;
  if (number.test(text) && number.lastIndex === at + found.length) return number.lastIndex;
  if (found.startsWith("'")) return { at, what: 'a string needs double quotes' };
  if (found.startsWith('/')) return { at, what: 'JSON has no comments' };
  if (/^[-+.\d]/.test(found)) return { at, what: `${shortened(found)} is no number of JSON` };
  const [first = ''] = found;
  return /[\w$]/.test(first)
    ? { at, what: `${shortened(found)} is no value of JSON` }
    : { at, what: `${codeOf(first)} stands where a value belongs` };
}

const shortened = (text: string): string => `“${text.length > 20 ? `${text.slice(0, 20)}…` : text}”`;

const codeOf = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
