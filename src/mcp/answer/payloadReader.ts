import { skipSpace, skipString, skipValue } from '../../engine/json/index.ts';
import type { Extent, Path } from './extent.ts';
import { readNumber } from './readNumber.ts';
import { head, visible } from './visible.ts';

/** Longer keys are not shown, so that paths stay short. Their object is shown in part. */
const maxKeyLength = 200;

/**
 * Reads the text of a payload once, as far as an answer shows it. What is not shown is skipped, not
 * parsed. `cut` hears of every value that is shown in part.
 */
export class PayloadReader {
  readonly #text: string;
  readonly #extent: Extent;
  readonly #cut: (path: Path, bytes: number) => void;
  #at = 0;

  constructor(text: string, extent: Extent, cut: (path: Path, bytes: number) => void) {
    this.#text = text;
    this.#extent = extent;
    this.#cut = cut;
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
    if (first === 't' || first === 'f' || first === 'n') return JSON.parse(source);
    const value = first === '"' ? String(JSON.parse(source)) : readNumber(source);
    return typeof value === 'string' ? this.#string(value, source, path) : value;
  }

  #string(value: string, source: string, path: Path): string {
    const { characters } = this.#extent;
    if (value.length <= characters) return visible(value);
    this.#cut(path, Buffer.byteLength(source));
    return `${visible(head(value, characters))}…`;
  }

  /** A container of which nothing is shown. */
  #skipped(path: Path, empty: unknown): unknown {
    const start = this.#at;
    this.#at = skipValue(this.#text, start);
    if (skipSpace(this.#text, start + 1) < this.#at - 1) this.#note(start, path);
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

  /** As in `JSON.parse`, the last of equal keys wins. Keys that look equal to models do not. */
  #object(path: Path, level: number): Record<string, unknown> {
    const start = this.#at;
    const members = new Map<string, unknown>();
    const keys = new Map<string, string>();
    let isLossy = false;
    this.#at = skipSpace(this.#text, start + 1);
    while (this.#text[this.#at] !== '}') {
      if (members.size >= this.#extent.keys) return this.#endEarly(start, path, Object.fromEntries(members));
      const key = this.#key();
      const shown = visible(key);
      if (key.length > maxKeyLength || (keys.get(shown) ?? key) !== key) {
        this.#at = skipValue(this.#text, this.#at);
        isLossy = true;
      } else {
        keys.set(shown, key);
        members.set(shown, this.#value([...path, key], level + 1));
      }
      this.#nextMember();
    }
    this.#at += 1;
    if (isLossy) this.#note(start, path);
    return Object.fromEntries(members);
  }

  /** Reads a key, and moves to its value. */
  #key(): string {
    const end = skipString(this.#text, this.#at);
    const key = String(JSON.parse(this.#text.slice(this.#at, end)));
    this.#at = skipSpace(this.#text, skipSpace(this.#text, end) + 1);
    return key;
  }

  /** Leaves a container whose rest is not shown. */
  #endEarly<T>(start: number, path: Path, shown: T): T {
    this.#at = skipValue(this.#text, start);
    this.#note(start, path);
    return shown;
  }

  #note(start: number, path: Path): void {
    this.#cut(path, Buffer.byteLength(this.#text.slice(start, this.#at)));
  }

  #nextMember(): void {
    this.#at = skipSpace(this.#text, this.#at);
    if (this.#text[this.#at] === ',') this.#at = skipSpace(this.#text, this.#at + 1);
  }
}
