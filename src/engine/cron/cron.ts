import { CronExpressionParser } from 'cron-parser';
import { BoundedCache } from '../boundedCache.ts';
import { nextInZone } from './nextInZone.ts';

interface Schedule {
  /** Six fields, seconds first. */
  fields: string;
  timeZone: string;
  /** The last answer. It holds for every instant from `afterMs` until `atMs`. */
  next?: { afterMs: number; atMs: number };
}

interface FieldRule {
  name: string;
  /** The largest step that still names two values. */
  maxStep: number;
  allowed: RegExp;
}

const everyHour = new Set(['*', '?', '*/1', '0-23']);

const numeric = /^[\d*?,/-]+$/;

const fieldRules: readonly FieldRule[] = [
  { name: 'second', maxStep: 59, allowed: numeric },
  { name: 'minute', maxStep: 59, allowed: numeric },
  { name: 'hour', maxStep: 23, allowed: numeric },
  { name: 'day of month', maxStep: 31, allowed: /^[\d*?,/L-]+$/i },
  { name: 'month', maxStep: 12, allowed: /^(?:[\d*?,/-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)+$/i },
  { name: 'day of week', maxStep: 7, allowed: /^(?:[\d*?,/L#-]|mon|tue|wed|thu|fri|sat|sun)+$/i },
];

/** Registrations repeat the same few schedules, and parsing one takes 0.1 ms. */
const valid = new BoundedCache<string, Schedule>(10_000);

/**
 * Checks a schedule: five fields, or six with seconds first. UTC unless prefixed by `CRON_TZ=<zone>
 * `. Throws an `Error` with a reason for its author, also if the schedule never fires.
 */
export function checkCron(cron: string): void {
  scheduleOf(cron);
}

/**
 * The first instant after `after` (exclusive, whole seconds) at which a valid schedule fires. When
 * clocks go forward, a skipped time fires later by the same amount. When they go back, a repeated
 * time fires once, except if the schedule names every hour.
 */
export function nextFire(cron: string, after: Date): Date {
  return nextOf(scheduleOf(cron), after);
}

function scheduleOf(cron: string): Schedule {
  const known = valid.get(cron);
  if (known) return known;
  const schedule = parseSchedule(cron);
  try {
    nextOf(schedule, new Date());
  } catch {
    throw new Error('is not a valid cron schedule, or never fires');
  }
  valid.set(cron, schedule);
  return schedule;
}

/** A search for the next instant may take milliseconds. */
function nextOf(schedule: Schedule, after: Date): Date {
  const afterMs = after.getTime();
  const { next } = schedule;
  if (next && next.afterMs <= afterMs && afterMs < next.atMs) return new Date(next.atMs);
  const found = searchNext(schedule, after);
  schedule.next = { afterMs, atMs: found.getTime() };
  return found;
}

/** The library is used only in UTC: across clock changes it omits times, or loops for ever. */
function searchNext({ fields, timeZone }: Schedule, after: Date): Date {
  const nextLocal = (local: number): number =>
    CronExpressionParser.parse(fields, { currentDate: new Date(local), tz: 'UTC' })
      .next()
      .getTime();
  if (timeZone === 'UTC') return new Date(nextLocal(after.getTime()));
  const isHourly = everyHour.has(fields.split(' ')[2] ?? '');
  return new Date(nextInZone({ nextLocal, timeZone, isHourly }, after.getTime()));
}

function parseSchedule(cron: string): Schedule {
  if (cron.length > 256) throw new Error('is longer than 256 characters');
  const [, prefix, zone = 'UTC', expression = ''] = /^(CRON_TZ=(\S*)[ \t]+)?(.*)$/s.exec(cron) ?? [];
  if (prefix !== undefined) checkZone(zone);
  const fields = expression.trim().split(/[ \t]+/);
  if (fields.length !== 5 && fields.length !== 6) throw new Error('must have five or six fields');
  // The library misreads fewer fields, and steps that are too large.
  const withSeconds = fields.length === 5 ? ['0', ...fields] : fields;
  for (const [index, rule] of fieldRules.entries()) checkField(withSeconds[index] ?? '', rule);
  return { fields: withSeconds.join(' '), timeZone: zone };
}

function checkZone(zone: string): void {
  try {
    // An offset is not a zone: it has no summer time.
    if (/^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat('en-US', { timeZone: zone })) return;
  } catch {
    // Ignore Intl's own message, which is for programmers.
  }
  throw new Error(`names an unknown time zone: ${zone}`);
}

function checkField(field: string, { name, maxStep, allowed }: FieldRule): void {
  if (!allowed.test(field)) throw new Error(`has a bad ${name} field: ${field}`);
  for (const part of field.split(',')) {
    const [, step] = part.split('/');
    if (step === undefined) continue;
    if (!/^\d+$/.test(step) || Number(step) < 1 || Number(step) > maxStep) {
      throw new Error(`has a bad step in its ${name} field: ${field}`);
    }
  }
}
