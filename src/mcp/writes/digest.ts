import { createHash } from 'node:crypto';
import type { JsonDocument } from '../../engine/json/index.ts';

/** Arguments that do not belong to what a call does. */
const beside: readonly string[] = ['confirm', 'dedupeId', 'maxBytes'];

const bytes = 16;

/**
 * Identifies a tool and its arguments. The order of keys and the space between them do not count,
 * as models write them anew. `kept` names arguments that belong to what this tool does.
 */
export function digestOf(tool: string, given: JsonDocument, kept: readonly string[] = []): Buffer {
  const members = Object.entries(Object(given.value)).filter(([name]) => kept.includes(name) || !beside.includes(name));
  const hash = createHash('sha256').update(JSON.stringify([tool, sorted(Object.fromEntries(members))]));
  for (const [name] of members) hash.update(longNumbers(given.raw(name)?.text ?? '').join(' '));
  return hash.digest().subarray(0, bytes);
}

/** The same value with sorted keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)]);
}

const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** The numbers of JSON text that a double cannot hold, sorted. */
const longNumbers = (text: string): string[] =>
  (text.match(tokens) ?? []).filter((token) => !token.startsWith('"') && String(Number(token)) !== token).sort();
