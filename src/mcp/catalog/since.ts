import type { Clock } from '../../engine/clock.ts';
import { invalid } from '../../engine/errors.ts';
import { parseInstant } from '../../engine/instant.ts';
import type { JsonDocument } from '../../engine/json/index.ts';
import { memberOf, type Overrides } from './arguments.ts';

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const span = /^(\d{1,6})([smhdw])$/;

/**
 * `since` as an instant, where the arguments give a span back from now, such as `2h`. Throws
 * `invalid` for what is neither a span nor an instant.
 */
export function sinceOf(given: JsonDocument, clock: Clock): Overrides {
  const value = memberOf(given, 'since');
  if (value === undefined) return {};
  const text = typeof value === 'string' ? value : '';
  const [, count, unit] = span.exec(text) ?? [];
  if (count !== undefined && isUnit(unit)) {
    const atMs = clock.now().getTime() - Number(count) * unitMs[unit];
    return { since: new Date(Math.max(0, atMs)).toISOString() };
  }
  if (!parseInstant(text))
    throw invalid('since must be an RFC 3339 timestamp, or a span back from now such as 30m, 2h or 7d');
  return {};
}

const isUnit = (unit: string | undefined): unit is keyof typeof unitMs => unit !== undefined && unit in unitMs;
