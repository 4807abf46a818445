import type { Clock } from '../../engine/clock.ts';
import type { JsonDocument } from '../../engine/json/index.ts';
import { memberOf, type Overrides } from './arguments.ts';

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const span = /^(\d{1,6})([smhdw])$/;

/** `since` as an instant, where the arguments give a span back from now, such as `2h`. */
export function sinceOf(given: JsonDocument, clock: Clock): Overrides {
  const value = memberOf(given, 'since');
  const [, count, unit] = (typeof value === 'string' && span.exec(value)) || [];
  if (count === undefined || !isUnit(unit)) return {};
  return { since: new Date(clock.now().getTime() - Number(count) * unitMs[unit]).toISOString() };
}

const isUnit = (unit: string | undefined): unit is keyof typeof unitMs => unit !== undefined && unit in unitMs;
