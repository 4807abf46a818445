import type { InferRequest, Json, Message, MessagePart } from '../../../engine/inference/index.ts';

/** A stretch of this length that also stands in the prompt is cut out. */
const stretch = 24;

/** A text of the prompt that is shorter is cut out as a whole, from this length. */
const shortest = 6;

/** The beginning of a text that is looked at. */
const maxText = 8_192;

/** Short texts that are looked for one by one. With more, nothing of the text is shown. */
const maxFound = 2_000;

const gap = '[…]';

/** Up to so many, stretches are searched for one by one. */
const fewStretches = 16;

/** Base of the rolling hash, and its power for the character that leaves. */
const base = 257;
const leaving = Array.from({ length: stretch - 1 }).reduce<number>((power) => Math.imul(power, base), 1);

/**
 * A text of a provider without what it repeats of the prompt, or of the key: each stretch of 24 or
 * more characters, and each shorter text of the prompt as a whole. Escapes are decoded first,
 * because providers quote requests as JSON. The result is one line. Takes time linear in the
 * prompt.
 */
export function redactPrompt(text: string, request: InferRequest, key = ''): string {
  const shown = onOneLine(decoded(text.slice(0, maxText)));
  const hasSpaces = shown.includes(' ');
  const hidden = new Uint8Array(shown.length);
  const stretches = new Stretches(shown, hidden);
  const short = new Set<string>();
  for (const given of [key, ...promptTexts(request)]) {
    // A text without spaces stands in the prompt however its lines break.
    const source = hasSpaces ? onOneLine(given) : given;
    if (source.length >= stretch) stretches.hideIn(source);
    else short.add(source.trim());
  }
  hideShort(short, shown, hidden);
  return withGaps(shown, hidden);
}

/**
 * A text with single spaces. Providers break lines anew, and control characters would break the
 * lines of a log.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
export const onOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f\s]+/g, ' ');

/** The stretches of a text by their hash. */
class Stretches {
  readonly #text: string;
  readonly #hidden: Uint8Array;
  readonly #starts = new Map<number, number[]>();

  constructor(text: string, hidden: Uint8Array) {
    this.#text = text;
    this.#hidden = hidden;
    eachStretch(text, (hash, start) => {
      const known = this.#starts.get(hash);
      if (known) known.push(start);
      else this.#starts.set(hash, [start]);
    });
  }

  /** Hides the stretches that stand in `source`. Each is found once. */
  hideIn(source: string): void {
    if (this.#starts.size <= fewStretches) this.#hideFewIn(source);
    else this.#hideManyIn(source);
  }

  /** The runtime's own search is far faster than a hash for each stretch of a long prompt. */
  #hideFewIn(source: string): void {
    for (const [hash, starts] of this.#starts) {
      const textAt = (start: number): string => this.#text.slice(start, start + stretch);
      const found = new Set([...new Set(starts.map(textAt))].filter((text) => source.includes(text)));
      this.#hide(hash, starts, (start) => found.has(textAt(start)));
    }
  }

  #hideManyIn(source: string): void {
    eachStretch(source, (hash, at) => {
      const starts = this.#starts.get(hash);
      if (starts) this.#hide(hash, starts, (start) => this.#isEqual(start, source, at));
    });
  }

  /** What is hidden is not looked for again. */
  #hide(hash: number, starts: readonly number[], isFound: (start: number) => boolean): void {
    const others = starts.filter((start) => !isFound(start));
    if (others.length === starts.length) return;
    for (const start of starts) if (isFound(start)) this.#hidden.fill(1, start, start + stretch);
    if (others.length === 0) this.#starts.delete(hash);
    else this.#starts.set(hash, others);
  }

  #isEqual(start: number, source: string, at: number): boolean {
    for (let i = 0; i < stretch; i += 1) {
      if (this.#text.charCodeAt(start + i) !== source.charCodeAt(at + i)) return false;
    }
    return true;
  }
}

/** Visits each stretch of a text with its hash. */
function eachStretch(text: string, visit: (hash: number, start: number) => void): void {
  let hash = 0;
  for (let i = 0; i < text.length; i += 1) {
    if (i >= stretch) hash = (hash - Math.imul(text.charCodeAt(i - stretch), leaving)) | 0;
    hash = (Math.imul(hash, base) + text.charCodeAt(i)) | 0;
    if (i >= stretch - 1) visit(hash, i - stretch + 1);
  }
}

/** Hides short texts that stand in a text as a whole. */
function hideShort(sources: ReadonlySet<string>, text: string, hidden: Uint8Array): void {
  const beginnings = new Set<string>();
  for (let start = 0; start + shortest <= text.length; start += 1) beginnings.add(text.slice(start, start + shortest));
  const found = [...sources].filter((source) => beginnings.has(source.slice(0, shortest)));
  if (found.length > maxFound) hidden.fill(1);
  else for (const source of found) hideWhole(source, text, hidden);
}

function hideWhole(source: string, text: string, hidden: Uint8Array): void {
  if (source.length < shortest) return;
  for (let at = text.indexOf(source); at >= 0; at = text.indexOf(source, at + source.length)) {
    hidden.fill(1, at, at + source.length);
  }
}

function withGaps(text: string, hidden: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < text.length; ) {
    const end = endOfRun(hidden, i);
    parts.push(hidden[i] ? gap : text.slice(i, end));
    i = end;
  }
  return parts.join('');
}

function endOfRun(hidden: Uint8Array, start: number): number {
  let end = start + 1;
  while (end < hidden.length && hidden[end] === hidden[start]) end += 1;
  return end;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The text without its escapes, which may be escaped themselves. */
function decoded(text: string): string {
  let current = text;
  for (let round = 0; round < 3 && current.includes('\\'); round += 1) {
    current = current.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, wide, narrow, char) =>
      char === undefined ? String.fromCharCode(Number.parseInt(wide ?? narrow, 16)) : (escapes[char] ?? char),
    );
  }
  return current;
}

/** All texts of a request that a provider must not repeat. Names and models are none. */
function* promptTexts(request: InferRequest): Generator<string> {
  if (request.options) yield* textsOf(request.options);
  if (request.kind === 'embed') {
    yield* request.values;
    return;
  }
  if (request.system !== undefined) yield request.system;
  for (const message of request.messages) yield* messageTexts(message);
  for (const { description, inputSchema } of request.tools ?? []) {
    if (description !== undefined) yield description;
    yield JSON.stringify(inputSchema);
  }
  if (request.schema !== undefined) yield JSON.stringify(request.schema);
  yield* request.stop ?? [];
}

function* messageTexts({ content }: Message): Generator<string> {
  for (const part of content) yield* partTexts(part);
}

function* partTexts(part: MessagePart): Generator<string> {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      yield part.text;
      break;
    case 'image':
    case 'file':
      yield part.data ?? part.url ?? '';
      if (part.type === 'file') yield part.filename ?? '';
      break;
    case 'tool_call':
      yield* textsOf(part.input);
      break;
    case 'tool_result':
      yield* textsOf(part.output);
  }
  if (part.metadata) yield* textsOf(part.metadata);
}

/** The JSON of a value as a whole, and each text in it. */
function* textsOf(value: Json): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  yield JSON.stringify(value);
  yield* innerTexts(value);
}

function* innerTexts(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) yield* innerTexts(each);
}
