import { RawJson, stringifyRaw } from '../../engine/json/index.ts';
import type { Abridged, Extent, Path } from './extent.ts';
import { PayloadReader } from './payloadReader.ts';
import { head, visible } from './visible.ts';

/** Members of an answer that are of use as a whole only. */
const uncut: ReadonlySet<unknown> = new Set(['nextCursor', 'confirm']);

/** Data as models see it: plain JSON, visible and shortened. */
export interface Shown {
  value: unknown;
  abridged: Abridged[];
}

/**
 * Shortens the payloads, the long strings and the long lists of an answer in place. All keep their
 * JSON types. A number that a double cannot hold becomes a string with its source.
 */
export function abridge(data: unknown, extent: Extent): Shown {
  const abridger = new Abridger(extent);
  return { value: abridger.show(data, []), abridged: abridger.abridged };
}

class Abridger {
  readonly abridged: Abridged[] = [];
  readonly #extent: Extent;
  readonly #note = (path: Path, bytes: number): void => void this.abridged.push({ path, bytes });

  constructor(extent: Extent) {
    this.#extent = extent;
  }

  show(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return this.#string(value, path);
    if (value instanceof RawJson) return new PayloadReader(value.text, this.#extent, this.#note).read(path);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Date) return value.toISOString();
    if (Array.isArray(value)) return this.#list(value, path);
    const shown: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      if (member !== undefined) define(shown, visible(key), this.show(member, [...path, key]));
    }
    return shown;
  }

  #list(list: readonly unknown[], path: Path): unknown[] {
    const { rows } = this.#extent;
    if (list.length > rows) this.#note(path, bytesOf(list));
    return list.slice(0, rows).map((each, index) => this.show(each, [...path, index]));
  }

  #string(value: string, path: Path): string {
    const { ownCharacters } = this.#extent;
    if (value.length <= ownCharacters || (path.length === 1 && uncut.has(path[0]))) return visible(value);
    this.#note(path, bytesOf(value));
    return `${visible(head(value, ownCharacters))}…`;
  }
}

/** Sets an own member: a key of a stranger may be `__proto__`. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The bytes of a value as JSON. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(stringifyRaw(value));
