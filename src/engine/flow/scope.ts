import { createHash } from 'node:crypto';
import { hasUnsupportedCharacter, type JsonDocument, type RawJson, readJson } from '../json/index.ts';

/**
 * A scope of a policy within its workflow: empty for the whole workflow, else `=` and the value of
 * the policy's key.
 */
export type ScopeKey = string;

export const wholeWorkflow: ScopeKey = '';

/** In bytes: an index over several names can hold this much of each. */
const maxKeyBytes = 256;
const keptOfLongKey = 64;

/**
 * A payload in which policies look up their keys. Its text is parsed once, and only if a policy has
 * a key.
 */
export class KeyedPayload {
  readonly #data: RawJson | undefined;
  #document: JsonDocument | undefined;

  constructor(data: RawJson | undefined) {
    this.#data = data;
  }

  /**
   * The scope at a dotted path (2.2, keys): the value's text, so `1` and `"1"` are one scope.
   * Without a path, or if the field is missing, `null` or no scalar, the scope is the whole
   * workflow.
   */
  scopeAt(path: string | undefined): ScopeKey {
    if (path === undefined || this.#data === undefined) return wholeWorkflow;
    this.#document ??= readJson(this.#data.text);
    const segments = path.split('.');
    const value = valueAt(this.#document.value, segments);
    if (typeof value === 'number') return scopeOf(numberText(value, this.#document.raw(...segments)?.text));
    return typeof value === 'string' || typeof value === 'boolean' ? scopeOf(String(value)) : wholeWorkflow;
  }
}

/** Own fields only: an inherited property is no field of the payload. */
function valueAt(value: unknown, segments: readonly string[]): unknown {
  let current = value;
  for (const segment of segments) {
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return undefined;
    if (!Object.hasOwn(current, segment)) return undefined;
    current = (current as Record<string, unknown>)[segment];
  }
  return current;
}

/**
 * Integers beyond doubles keep their digits, so different integers are different scopes. JSON has
 * only one spelling of an integer.
 */
const numberText = (value: number, source: string | undefined): string =>
  source === undefined || Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ? String(value) : source;

const scopeOf = (text: string): ScopeKey => `=${searchable(text)}`;

/**
 * The form of a text in searched columns. Long texts are replaced by their digest, and so are texts
 * with U+0000 or unpaired surrogates, which PostgreSQL cannot store.
 */
export function searchable(text: string): string {
  if (Buffer.byteLength(text) <= maxKeyBytes && isStorable(text)) return text;
  const start = isStorable(text.slice(0, keptOfLongKey)) ? text.slice(0, keptOfLongKey) : '';
  return `${start}…sha256:${createHash('sha256').update(text, 'utf16le').digest('hex')}`;
}

const isStorable = (text: string): boolean => !hasUnsupportedCharacter(text);

/** The scope's key as shown to people; undefined for the whole workflow. */
export const keyOfScope = (scope: ScopeKey): string | undefined =>
  scope === wholeWorkflow ? undefined : scope.slice(1);

/** A 64-bit digest of a scope, used as a queue key or a lock name. Signed decimal. */
export function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest().readBigInt64BE().toString();
}
