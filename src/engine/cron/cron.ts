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

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const weekdays = 'mon|tue|wed|thu|fri|sat|sun';

/** The library joins names that touch: it reads `janfeb` as December. */
const valuesOf = (names: string, more: string): RegExp =>
  new RegExp(`^(?:(?:[*?]|(?:\\d+|${names})?(?:#\\d+${more})?)(?:[,/-]|$))+$`, 'i');

const fieldRules: readonly FieldRule[] = [
  { name: 'second', maxStep: 59, allowed: numeric },
  { name: 'minute', maxStep: 59, allowed: numeric },
  { name: 'hour', maxStep: 23, allowed: numeric },
  { name: 'day of month', maxStep: 31, allowed: /^[\d*?,/L-]+$/i },
  { name: 'month', maxStep: 12, allowed: valuesOf(months, '') },
  { name: 'day of week', maxStep: 7, allowed: valuesOf(weekdays, '|L') },
];

/** What the names of common schedules stand for. */
const namedSchedules: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Registrations repeat the same few schedules, and parsing one takes 0.1 ms. */
const valid = new BoundedCache<string, Schedule>(10_000);

/**
 * Checks a schedule: five fields, six with seconds first, or a name such as `@daily`. UTC unless
 * prefixed by `TZ=<zone> ` or `CRON_TZ=<zone> `. Throws an `Error` with a reason for its author,
 * which names the bad field, also if the schedule never fires.
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
    throw new Error(reasonOf(schedule));
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

/** Why the library refuses a schedule. It reads each field alone, so a field it refuses is bad. */
function reasonOf({ fields }: Schedule): string {
  for (const [index, field] of fields.split(' ').entries()) {
    const alone = fieldRules.map((_, other) => (other === index ? field : '*')).join(' ');
    try {
      CronExpressionParser.parse(alone, { tz: 'UTC' });
    } catch {
      return badField(fieldRules[index]?.name ?? 'cron', field);
    }
  }
  return 'never fires: no date has such a day of month, month and day of week';
}

const badField = (name: string, field: string): string => `has a bad ${name} field: ${field}`;

function parseSchedule(cron: string): Schedule {
  if (cron.length > 256) throw new Error('is longer than 256 characters');
  const [, prefix, zone = 'UTC', expression = ''] = /^((?:CRON_)?TZ=(\S*)[ \t]+)?(.*)$/s.exec(cron) ?? [];
  if (prefix !== undefined) checkZone(zone);
  const fields = expandName(expression.trim()).split(/[ \t]+/);
  if (fields.length !== 5 && fields.length !== 6) {
    throw new Error(`must have five or six fields, or be a name such as @daily; it has ${countFields(fields)}`);
  }
  // The library misreads fewer fields, and steps that are too large.
  const withSeconds = fields.length === 5 ? ['0', ...fields] : fields;
  for (const [index, rule] of fieldRules.entries()) checkField(withSeconds[index] ?? '', rule);
  return { fields: withSeconds.join(' '), timeZone: zone };
}

function expandName(expression: string): string {
  if (!expression.startsWith('@')) return expression;
  const name = expression.toLowerCase();
  const fields = Object.hasOwn(namedSchedules, name) ? namedSchedules[name] : undefined;
  if (fields !== undefined) return fields;
  throw new Error(`has an unknown name: ${expression}; names are ${Object.keys(namedSchedules).join(', ')}`);
}

const countFields = (fields: readonly string[]): number => fields.filter((field) => field !== '').length;

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
  if (!allowed.test(field)) throw new Error(badField(name, field));
  for (const part of field.split(',')) {
    const [, step] = part.split('/');
    if (step === undefined) continue;
    if (!/^\d+$/.test(step) || Number(step) < 1 || Number(step) > maxStep) {
      throw new Error(`has a bad step in its ${name} field: ${field}`);
    }
  }
}
