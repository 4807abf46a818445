import { CliError } from './cliError.ts';

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const shape = /^(\d{1,9})(s|m|h|d|w)$/;

const isUnit = (unit: string | undefined): unit is keyof typeof unitMs => unit !== undefined && unit in unitMs;

/** Milliseconds of `90s`, `30m`, `12h`, `30d` or `2w`. Throws a `CliError` that names the option. */
export function parseDuration(option: string, text: string): number {
  const [, count, unit] = shape.exec(text) ?? [];
  if (count === undefined || !isUnit(unit) || Number(count) === 0) {
    throw new CliError(`${option}: must be a time like 90s, 30m, 12h, 30d or 2w`);
  }
  return Number(count) * unitMs[unit];
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The instant that lies this far ahead, or that is written out (RFC 3339). Throws a `CliError` that names the option. */
export function parseInstant(option: string, text: string, now: Date): Date {
  if (!timestamp.test(text)) return new Date(now.getTime() + parseDuration(option, text));
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) throw new CliError(`${option}: there is no such time`);
  return instant;
}
