import { described, MisuseError } from './misuse.ts';

// RFC 3339: a date with a time and an offset. `Date.parse` takes much else.
const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * The whole milliseconds since the epoch of a date, of its RFC 3339 text, or of a number of them.
 * `field` names the value in errors.
 */
export function instantMs(at: Date | string | number, field: string): number {
  const ms = at instanceof Date ? at.getTime() : typeof at === 'string' ? textMs(at) : at;
  if (typeof ms === 'number' && Number.isFinite(ms)) return Math.round(ms);
  const given = at instanceof Date ? 'an invalid Date' : described(at);
  throw new MisuseError(`${field} must be a Date, an RFC 3339 text, or milliseconds since the epoch; it is ${given}`);
}

const textMs = (text: string): number => (rfc3339.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN);
