import { parseInstant } from '../engine/instant.ts';
import { CliError } from './cliError.ts';

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const shape = /^(\d{1,9})(s|m|h|d|w)$/;

const isUnit = (unit: string | undefined): unit is keyof typeof unitMs => unit !== undefined && unit in unitMs;

/**
 * Parses `90s`, `30m`, `12h`, `30d` or `2w` into milliseconds. Throws a `CliError` that names the
 * option.
 */
export function parseDuration(option: string, text: string): number {
  const [, count, unit] = shape.exec(text) ?? [];
  if (count === undefined || !isUnit(unit) || Number(count) === 0) {
    throw new CliError(`${option}: must be a time like 90s, 30m, 12h, 30d or 2w`);
  }
  return Number(count) * unitMs[unit];
}

const beginsLikeDate = /^\d{4}-/;

/**
 * Parses a time from now (`30d`) or an RFC 3339 timestamp. Throws a `CliError` that names the
 * option.
 */
export function parseExpiry(option: string, text: string, now: Date): Date {
  if (!beginsLikeDate.test(text)) return new Date(now.getTime() + parseDuration(option, text));
  const instant = parseInstant(text);
  if (!instant) throw new CliError(`${option}: must be a timestamp like 2030-01-31T12:00:00Z`);
  return instant;
}

interface TimingOptions {
  startAt?: string;
  delay?: string;
  ttl?: string;
}

/** The fields of a start by its options. The service checks `--start-at`. */
export const timingOf = ({ startAt, delay, ttl }: TimingOptions) => ({
  ...(startAt !== undefined && { startAt }),
  ...(delay !== undefined && { delayMs: parseDuration('--delay', delay) }),
  ...(ttl !== undefined && { ttlMs: parseDuration('--ttl', ttl) }),
});

/** Converts a time ago (`24h`) into a timestamp. The service checks any other text. */
export const instantAgo = (option: string, text: string): string =>
  /^\d+[a-z]$/.test(text) ? new Date(Date.now() - parseDuration(option, text)).toISOString() : text;
