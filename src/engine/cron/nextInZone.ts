import { BoundedCache } from '../boundedCache.ts';

/**
 * The next time of a schedule after `local`. Both are readings of a clock without a zone, in ms.
 */
export type NextLocal = (local: number) => number;

export interface ZonedSchedule {
  nextLocal: NextLocal;
  timeZone: string;
  /** Whether the schedule names every hour, so that clock changes do not affect it. */
  isHourly: boolean;
}

/** A period in which local time has one offset from UTC. */
interface Stretch {
  offset: number;
  /** How the period began, if that was less than a day ago. */
  start: { at: number; offsetBefore: number } | undefined;
}

const dayMs = 86_400_000;
const maxTurns = 20;

/**
 * The first instant after `after`, in ms since the epoch, at which the local clock shows a time of
 * the schedule. A time that clocks skip counts where it would have been without the change. A time
 * that they repeat counts once. An hourly schedule follows the clock as it is.
 */
export function nextInZone(schedule: ZonedSchedule, after: number): number {
  const { timeZone } = schedule;
  let at = after;
  let stretch = stretchAt(timeZone, at);
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const next = nextInStretch(schedule, stretch, at);
    if (next - at > 3 * dayMs) {
      // Clocks may change in between, and change back. No time is due until shortly before `next`,
      // so continue two days before it.
      at = next - 2 * dayMs;
      stretch = stretchAt(timeZone, at);
    } else if (offsetMsAt(timeZone, next) === stretch.offset) {
      return next;
    } else {
      const change = changeBetween(timeZone, at, next);
      stretch = { offset: offsetMsAt(timeZone, change), start: { at: change, offsetBefore: stretch.offset } };
      at = change - 1;
    }
  }
  throw new Error(`clocks of ${timeZone} change too often`);
}

function stretchAt(timeZone: string, at: number): Stretch {
  const offset = offsetMsAt(timeZone, at);
  const offsetBefore = offsetMsAt(timeZone, at - dayMs);
  const start = offset === offsetBefore ? undefined : { at: changeBetween(timeZone, at - dayMs, at), offsetBefore };
  return { offset, start };
}

function nextInStretch({ nextLocal, isHourly }: ZonedSchedule, { offset, start }: Stretch, at: number): number {
  if (isHourly || !start) return nextLocal(at + offset) - offset;
  const lastShownBefore = start.at - 1 + start.offsetBefore;
  // Clocks went back: skip the times that they already showed.
  if (offset < start.offsetBefore) return nextLocal(Math.max(at + offset, lastShownBefore)) - offset;
  const shown = nextLocal(at + offset) - offset;
  const skipped = nextLocal(Math.max(at + start.offsetBefore, lastShownBefore));
  return skipped < start.at + offset ? Math.min(shown, skipped - start.offsetBefore) : shown;
}

/** The first instant after `from` with the offset of `to`. */
function changeBetween(timeZone: string, from: number, to: number): number {
  const offset = offsetMsAt(timeZone, to);
  let [before, behind] = [from, to];
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2);
    if (offsetMsAt(timeZone, middle) === offset) behind = middle;
    else before = middle;
  }
  return behind;
}

/** A format is expensive to make. There are some 600 zones. */
const formats = new BoundedCache<string, Intl.DateTimeFormat>(1_000);

/** The offset of local time from UTC at an instant, both in ms. Throws on an unknown zone. */
export function offsetMsAt(timeZone: string, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(second)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year = 0, month = 1, day, hour, minute, seconds] = fields.map((field) => parts.get(field));
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

const fields = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const numeric = Object.fromEntries(fields.map((field) => [field, 'numeric']));
  const format = new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', hourCycle: 'h23', ...numeric });
  formats.set(timeZone, format);
  return format;
}
