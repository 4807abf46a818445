import { BoundedCache } from '../boundedCache.ts';

/** Making one costs more than all that it is used for. There are some 600 zones. */
const formats = new BoundedCache<string, Intl.DateTimeFormat>(1_000);

/** How far local time is ahead of UTC at an instant, both in ms. Throws on an unknown zone. */
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
