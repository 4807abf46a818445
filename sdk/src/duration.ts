import { described, MisuseError } from './misuse.ts';

/** Milliseconds, or a number with one unit: `'250ms'`, `'5s'`, `'10m'`, `'2h'`, `'1d'`, `'1w'`. */
export type Duration = number | `${number}${DurationUnit}`;

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
type DurationUnit = keyof typeof unitMs;

const pattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/;

/**
 * Converts a duration to whole milliseconds. Throws a `TypeError` that names `field` and quotes an
 * invalid duration.
 */
export function durationMs(duration: Duration, field: string): number {
  const ms = typeof duration === 'number' ? duration : parseDuration(duration);
  if (!Number.isFinite(ms) || ms < 0) {
    throw new MisuseError(
      `${field} must be milliseconds, or a number with a unit such as '5s'; it is ${described(duration)}`,
    );
  }
  return Math.round(ms);
}

/** Reads a time limit. Throws a `TypeError` for zero, within which no body could end. */
export function limitMs(limit: Duration, field: string): number {
  const ms = durationMs(limit, field);
  if (ms === 0) throw new MisuseError(`${field} must be longer than 0`);
  return ms;
}

function parseDuration(text: string): number {
  const [, amount, unit] = pattern.exec(text) ?? [];
  return isUnit(unit) ? Number(amount) * unitMs[unit] : Number.NaN;
}

function isUnit(unit: string | undefined): unit is DurationUnit {
  return unit !== undefined && unit in unitMs;
}
