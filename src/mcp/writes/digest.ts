import { createHash } from 'node:crypto';
import type { JsonDocument } from '../../engine/json/index.ts';
import { abridge } from '../answer/abridge.ts';
import { everything } from '../answer/extent.ts';

/** Arguments that do not belong to what a call does. */
const beside: readonly string[] = ['confirm', 'dedupeId', 'maxBytes'];

const bytes = 16;

/**
 * Identifies a tool and its arguments. The order of keys, the space between them and how a number
 * is written do not count, as models write them anew. `kept` names arguments that belong to what
 * this tool does.
 */
export function digestOf(tool: string, given: JsonDocument, kept: readonly string[] = []): Buffer {
  const members = Object.entries(Object(given.value)).filter(([name]) => kept.includes(name) || !beside.includes(name));
  // Only the shown form tells long numbers apart, and only the plain one a number from its text.
  const shown = members.map(([name]) => [name, abridge(given.raw(name), everything).value] as const);
  const both = [members, shown].map((each) => sorted(Object.fromEntries(each)));
  return createHash('sha256')
    .update(JSON.stringify([tool, ...both]))
    .digest()
    .subarray(0, bytes);
}

/** The same value with sorted keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
