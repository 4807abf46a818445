import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { parseInstant } from '../instant.ts';
import type { ProjectSnapshot } from '../model/index.ts';
import { databaseNow } from '../runners/index.ts';
import type { StartOf } from './buildRun.ts';

/** The fields of a call that delay its starts, or let them expire; unchecked. */
export interface TimingInput {
  startAt?: unknown;
  delayMs?: unknown;
  ttlMs?: unknown;
}

/** The checked fields. At most one of `startAt` and `delayMs` is set. */
export interface StartTiming {
  startAt: Date | undefined;
  delayMs: number | undefined;
  ttlMs: number | undefined;
}

/** A year: the furthest start, and the longest time to live. */
export const maxStartMs = 365 * 86_400_000;

/** The fields as GraphQL and REST describe them. */
export const startAtText =
  'The earliest start of the runs: at most 365 days ahead. A past time starts them now. Not together with `delayMs`.';
export const delayText =
  'How long the start of the runs is delayed, in ms: at most 365 days. Not together with `startAt`.';
export const ttlText =
  'A run that has not begun within this time is dropped: it is cancelled. Counts from its start time, in ms, at most 365 days.';

/** Checks the fields. Throws `invalid`, which names the field and the limit. */
export function parseTiming({ clock }: Pick<EngineContext, 'clock'>, input: TimingInput): StartTiming {
  const startAt = instantOf(clock.now(), input.startAt);
  const delayMs = wholeMs('delayMs', input.delayMs);
  if (startAt && delayMs !== undefined) throw invalid('startAt and delayMs exclude each other');
  return { startAt, delayMs, ttlMs: wholeMs('ttlMs', input.ttlMs) };
}

function instantOf(now: Date, value: unknown): Date | undefined {
  if (value === undefined || value === null) return undefined;
  const at = value instanceof Date ? value : typeof value === 'string' ? parseInstant(value) : undefined;
  if (!at) throw invalid('startAt must be an RFC 3339 timestamp, such as 2026-01-31T08:00:00Z');
  if (at.getTime() - now.getTime() > maxStartMs) throw invalid('startAt may be at most 365 days ahead');
  return at;
}

function wholeMs(field: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxStartMs) return value;
  throw invalid(`${field} must be an integer from 1 to ${maxStartMs}`);
}

/** The fields of the starts. A time that has come delays nothing. */
export function timesOf(
  ctx: Pick<EngineContext, 'clock'>,
  snapshot: Pick<ProjectSnapshot, 'readAt' | 'readAtMs'>,
  { startAt, delayMs, ttlMs }: StartTiming,
): Pick<StartOf, 'notBefore' | 'ttlMs'> {
  if (!startAt && delayMs === undefined) return { ttlMs };
  const now = databaseNow(ctx, snapshot);
  const at = startAt ?? new Date(now.getTime() + (delayMs ?? 0));
  return { notBefore: at > now ? at : undefined, ttlMs };
}
