import pg from 'pg';

/** The types that we parse differently from the driver. */
const oids: Record<'int8' | 'json' | 'timestamptz' | 'jsonArray' | 'textArray' | 'uuidArray' | 'int8Array', number> = {
  int8: 20,
  json: 114,
  timestamptz: 1184,
  jsonArray: 199,
  textArray: 1009,
  uuidArray: 2951,
  int8Array: 1016,
};

const parseInt8 = (text: string): number => Number(text);
const byDriver = { array: pg.types.getTypeParser(oids.textArray), instant: pg.types.getTypeParser(oids.timestamptz) };

/**
 * Most arrays quote no element, and many have a single one. The driver reads an array character by
 * character.
 */
export function parseArray(text: string): (string | null)[] {
  if (text === '{}') return [];
  if (text.includes('"') || text.includes('\\') || text.includes('NULL') || text.includes('{', 1))
    return byDriver.array(text);
  const inside = text.slice(1, -1);
  return inside.includes(',') ? inside.split(',') : [inside];
}

const parseInt8Array = (text: string): (number | null)[] =>
  parseArray(text).map((item) => (item === null ? null : parseInt8(item)));

/**
 * Reads `2026-01-02 03:04:05.678901+00`, rounded down to the millisecond, in a tenth of the
 * driver's time. The driver reads other zones, and years that have not four digits.
 */
export function parseTimestamp(text: string): Date | number | null {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  if (!text.endsWith('+00') || text[4] !== '-' || text[10] !== ' ' || year < 100) return byDriver.instant(text);
  const time = Date.UTC(
    year,
    twoDigits(text, 5) - 1,
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
  );
  return new Date(time + millisecondsAt(text, '2026-01-02 03:04:05.'.length));
}

const zero = '0'.charCodeAt(0);
const digit = (text: string, at: number): number => text.charCodeAt(at) - zero;
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

/** PostgreSQL leaves out zeros at the end of the fraction, or all of it. */
function millisecondsAt(text: string, at: number): number {
  const end = text.length - '+00'.length;
  let ms = 0;
  for (let place = at, unit = 100; place < end && unit >= 1; place += 1, unit /= 10) ms += digit(text, place) * unit;
  return ms;
}

/**
 * Parses columns of the engine's statements. `int8` becomes a number, as our counters stay below
 * 2^53. `json` stays the stored text, so that no payload is encoded again. The driver parses the
 * rest: `timestamptz` to a Date, `jsonb` to a value, `numeric` to a string. Prisma has its own
 * parsers.
 */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary');
    if (oid === oids.json) return (text: string) => text;
    if (oid === oids.int8) return parseInt8;
    if (oid === oids.timestamptz) return parseTimestamp;
    if (oid === oids.int8Array) return parseInt8Array;
    if (oid === oids.jsonArray || oid === oids.textArray || oid === oids.uuidArray) return parseArray;
    return pg.types.getTypeParser(oid, 'text');
  },
};
