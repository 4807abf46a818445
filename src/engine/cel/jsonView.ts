import { spend } from './budget.ts';

/**
 * The nesting of lists that a guard can see. The evaluator keeps a type for every shape of nested
 * lists for ever, so this limits its memory.
 */
const maxListNesting = 10;

/**
 * JSON as CEL sees it. Objects become maps, so that no key (`constructor`, `__proto__`, `toString`)
 * is looked up on a prototype. Members are converted on access, so a guard pays only for those that
 * it uses. Throws on lists that are nested too deeply.
 */
export function viewOf(value: unknown): unknown {
  return viewAt(value, 0);
}

function viewAt(value: unknown, listDepth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? listView(value, listDepth + 1) : new JsonObject(value);
}

function listView(values: readonly unknown[], listDepth: number): unknown[] {
  if (listDepth > maxListNesting) throw new Error('lists are nested too deeply for a guard');
  spend(values.length / 16);
  return values.map((value) => {
    if (typeof value !== 'object' || value === null) return value;
    spend(3);
    return viewAt(value, listDepth);
  });
}

/** A read-only map over an object's own members. */
export class JsonObject extends Map<string, unknown> {
  readonly #raw: object;

  constructor(raw: object) {
    super();
    this.#raw = raw;
  }

  override get(key: unknown): unknown {
    if (typeof key !== 'string' || !Object.hasOwn(this.#raw, key)) return undefined;
    const value: unknown = Reflect.get(this.#raw, key);
    if (typeof value !== 'object' || value === null) return value;
    // The base map caches the views.
    const made = super.get(key);
    if (made !== undefined) return made;
    const view = viewOf(value);
    super.set(key, view);
    return view;
  }

  override has(key: unknown): boolean {
    return typeof key === 'string' && Object.hasOwn(this.#raw, key);
  }

  override get size(): number {
    return this.#keys().length;
  }

  override keys(): MapIterator<string> {
    return this.#keys().values();
  }

  override *[Symbol.iterator](): MapIterator<[string, unknown]> {
    for (const key of this.#keys()) yield [key, this.get(key)];
  }

  /**
   * Empty: the evaluator names the map's type by its first entry, and the type must be plain `map`.
   */
  override entries(): MapIterator<[string, unknown]> {
    return new Map<string, unknown>().entries();
  }

  #keys(): string[] {
    const keys = Object.keys(this.#raw);
    spend(keys.length / 4);
    return keys;
  }
}

// The evaluator identifies types by `constructor`, and knows only Map.
Object.defineProperty(JsonObject.prototype, 'constructor', { value: Map });
