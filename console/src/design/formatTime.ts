const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration as `840 ms`, `3.2 s`, `4 m 05 s`, `2 h 10 m`, `3 d 4 h`. */
export function durationText(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < second) return `${Math.round(whole)} ms`;
  if (whole < 9.95 * second) return `${(whole / second).toFixed(1)} s`;
  if (whole < minute) return `${Math.floor(whole / second)} s`;
  if (whole < hour) return `${Math.floor(whole / minute)} m ${twoDigits((whole % minute) / second)} s`;
  if (whole < day) return `${Math.floor(whole / hour)} h ${twoDigits((whole % hour) / minute)} m`;
  return `${Math.floor(whole / day)} d ${Math.floor((whole % day) / hour)} h`;
}

/** A length that is set, as `1 d`, `1 h 30 m`: a rest of zero is left out. */
export const windowText = (ms: number): string => durationText(ms).replace(/(?<=\D) 0+ [a-z]+$/, '');

const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0');

/** An instant beside now: `3 m ago`, `in 2 h`. */
export function relativeText(at: number, now: number): string {
  const ms = at - now;
  const distance = Math.abs(ms);
  if (distance < 1.5 * second) return 'now';
  const text = coarse(distance);
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

function coarse(ms: number): string {
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} m`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
}

export type Zone = 'local' | 'utc';

/** An instant in a zone: `27 Nov, 14:03:22`; with the year if it is another one. */
export function instantText(at: number, zone: Zone, now: number): string {
  const isThisYear = new Date(at).getUTCFullYear() === new Date(now).getUTCFullYear();
  return formatter(zone, isThisYear ? 'short' : 'year').format(at);
}

/** An instant with day, milliseconds and the name of the zone. */
export const exactInstantText = (at: number, zone: Zone): string => formatter(zone, 'exact').format(at);

/** The name of the zone, such as `UTC` or `GMT+2`. */
export function zoneName(zone: Zone): string {
  const parts = formatter(zone, 'exact').formatToParts(0);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: Zone, form: 'short' | 'year' | 'exact'): Intl.DateTimeFormat {
  const key = `${zone} ${form}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    ...(zone === 'utc' && { timeZone: 'UTC' }),
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...(form !== 'short' && { year: 'numeric' }),
    ...(form === 'exact' && { fractionalSecondDigits: 3, timeZoneName: 'short' }),
  });
  formatters.set(key, made);
  return made;
}

const countFormat = new Intl.NumberFormat('en-GB');

/** A count with separators, or `–`. */
export const countText = (count: number | null | undefined): string =>
  count == null ? '–' : countFormat.format(count);

/** Bytes as `812 B`, `3.4 kB`, `1.2 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
