import { RawJson, skipSpace, skipString, skipValue } from '../../engine/json/index.ts';
import { readNumber } from './readNumber.ts';
import { visible } from './visible.ts';

/** How much of a value an answer shows. */
export interface Extent {
  /** Characters of a string. */
  characters: number;
  /** Elements of an array of a payload. */
  elements: number;
  /** Members of an object of a payload. */
  keys: number;
  /** Levels of arrays and objects of a payload. */
  levels: number;
}

export type Path = readonly (string | number)[];

/** A value that is shown in part. */
export interface Abridged {
  path: Path;
  /** The bytes of the whole value, as JSON. */
  bytes: number;
}

/** Data as models see it: plain JSON, visible and shortened. */
export interface Shown {
  value: unknown;
  abridged: Abridged[];
}

/**
 * Shortens the payloads and the long strings of an answer in place. Payloads keep their JSON types.
 * A number that a double cannot hold becomes a string with its source. Lists and objects of ours
 * keep their length.
 */
export function abridge(data: unknown, extent: Extent): Shown {
  const abridger = new Abridger(extent);
  return { value: abridger.show(data, []), abridged: abridger.abridged };
}

class Abridger {
  readonly abridged: Abridged[] = [];
  readonly #extent: Extent;

  constructor(extent: Extent) {
    this.#extent = extent;
  }

  show(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return this.#own(value, path);
    if (value instanceof RawJson) return this.#raw(value.text, path);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Date) return value.toISOString();
    if (Array.isArray(value)) return value.map((each, index) => this.show(each, [...path, index]));
    const members = Object.entries(value).filter(([, each]) => each !== undefined);
    return Object.fromEntries(members.map(([key, each]) => [this.#key(key), this.show(each, [...path, key])]));
  }

  #raw(text: string, path: Path): unknown {
    return new PayloadReader(text, this.#extent, {
      string: (value, at, bytes) => this.#string(value, at, bytes),
      key: (key) => this.#key(key),
      cut: (at, bytes) => this.#note(at, bytes),
    }).read(path);
  }

  /** A string of ours, such as an instant, stays readable however little is shown. */
  #own(value: string, path: Path): string {
    const bytes = () => Buffer.byteLength(JSON.stringify(value));
    return this.#string(value, path, bytes, Math.max(this.#extent.characters, 64));
  }

  #string(value: string, path: Path, bytes: () => number, characters = this.#extent.characters): string {
    if (value.length <= characters) return visible(value);
    this.#note(path, bytes());
    return `${visible(head(value, characters))}…`;
  }

  #key(key: string): string {
    const { characters } = this.#extent;
    return key.length <= Math.max(characters, 64) ? visible(key) : `${visible(head(key, characters))}…`;
  }

  #note(path: Path, bytes: number): void {
    this.abridged.push({ path, bytes });
  }
}

/** The first characters, without half of a pair at the end. */
const head = (text: string, characters: number): string => text.slice(0, characters).replace(/[\ud800-\udbff]$/, '');

interface Handlers {
  string(value: string, path: Path, bytes: () => number): string;
  key(key: string): string;
  cut(path: Path, bytes: number): void;
}

/** Reads the text of a payload once. What is not shown is skipped, not parsed. */
class PayloadReader {
  readonly #text: string;
  readonly #extent: Extent;
  readonly #on: Handlers;
  #at = 0;

  constructor(text: string, extent: Extent, on: Handlers) {
    this.#text = text;
    this.#extent = extent;
    this.#on = on;
  }

  read(path: Path): unknown {
    this.#at = skipSpace(this.#text, 0);
    return this.#value(path, 1);
  }

  #value(path: Path, level: number): unknown {
    const start = this.#at;
    const first = this.#text[start];
    if (first === '{' || first === '[') {
      if (level > this.#extent.levels) return this.#skipped(path, first === '{' ? {} : []);
      return first === '{' ? this.#object(path, level) : this.#array(path, level);
    }
    this.#at = skipValue(this.#text, start);
    const source = this.#text.slice(start, this.#at);
    if (first === '"') return this.#on.string(String(JSON.parse(source)), path, () => Buffer.byteLength(source));
    return first === 't' || first === 'f' || first === 'n' ? JSON.parse(source) : readNumber(source);
  }

  /** A container of which nothing is shown. */
  #skipped(path: Path, empty: unknown): unknown {
    const start = this.#at;
    this.#at = skipValue(this.#text, start);
    const source = this.#text.slice(start, this.#at);
    if (/^.\s*.$/s.test(source)) return empty;
    this.#on.cut(path, Buffer.byteLength(source));
    return empty;
  }

  #array(path: Path, level: number): unknown[] {
    const start = this.#at;
    const elements: unknown[] = [];
    this.#at = skipSpace(this.#text, start + 1);
    while (this.#text[this.#at] !== ']') {
      if (elements.length >= this.#extent.elements) return this.#endEarly(start, path, elements);
      elements.push(this.#value([...path, elements.length], level + 1));
      this.#nextMember();
    }
    this.#at += 1;
    return elements;
  }

  #object(path: Path, level: number): Record<string, unknown> {
    const start = this.#at;
    const members = new Map<string, unknown>();
    this.#at = skipSpace(this.#text, start + 1);
    while (this.#text[this.#at] !== '}') {
      if (members.size >= this.#extent.keys) return this.#endEarly(start, path, Object.fromEntries(members));
      const keyEnd = skipString(this.#text, this.#at);
      const key = String(JSON.parse(this.#text.slice(this.#at, keyEnd)));
      this.#at = skipSpace(this.#text, skipSpace(this.#text, keyEnd) + 1);
      members.set(this.#on.key(key), this.#value([...path, key], level + 1));
      this.#nextMember();
    }
    this.#at += 1;
    return Object.fromEntries(members);
  }

  /** Leaves a container whose rest is not shown. */
  #endEarly<T>(start: number, path: Path, shown: T): T {
    this.#at = skipValue(this.#text, start);
    this.#on.cut(path, Buffer.byteLength(this.#text.slice(start, this.#at)));
    return shown;
  }

  #nextMember(): void {
    this.#at = skipSpace(this.#text, this.#at);
    if (this.#text[this.#at] === ',') this.#at = skipSpace(this.#text, this.#at + 1);
  }
}
