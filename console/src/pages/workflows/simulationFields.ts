import { countText, windowText } from '../../design/formatTime.ts';

/** A kind of number that a person sets by typing or by a slider. */
export interface NumberKind {
  /** The values of the slider, in order. Far apart values stand as close as near ones. */
  stops: readonly number[];
  /** The place of the stop that is nearest to a value, by their ratio. */
  placeOf: (value: number) => number;
  show: (value: number) => string;
  /** The text in the field; `read` takes it back. */
  edit: (value: number) => string;
  /** Undefined if the text is no such number. */
  read: (text: string) => number | undefined;
  /** The rule for a text, as its error. */
  rule: string;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const maxCount = 2_147_483_647;
/** A century, as in the service. */
const maxMs = 3_153_600_000_000;

const decade = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
const sixty = [1, 2, 3, 5, 10, 15, 20, 30, 45];

export const counts: NumberKind = {
  ...along([1, 2, 3, 4, 5, 6, 7, 8, 9, ...times(decade, [10, 100, 1_000]), 10_000]),
  show: countText,
  edit: String,
  read: (text) => {
    const value = Number(text.trim().replaceAll(',', '') || Number.NaN);
    return Number.isInteger(value) && value >= 1 && value <= maxCount ? value : undefined;
  },
  rule: `A whole number from 1 to ${countText(maxCount)}.`,
};

export const durations: NumberKind = {
  ...along([
    ...times([1, 2, 5], [10, 100]),
    ...times(sixty, [second, minute]),
    ...times([1, 2, 3, 6, 12], [hour]),
    ...times([1, 2, 7, 30], [day]),
  ]),
  show: exactText,
  edit: exactText,
  read: (text) => {
    const ms = durationIn(text);
    return ms !== undefined && ms >= 1 && ms <= maxMs ? ms : undefined;
  },
  rule: 'A number with its unit, such as 500 ms, 30 s, 5 m or 1 h 30 m.',
};

function along(stops: readonly number[]): Pick<NumberKind, 'stops' | 'placeOf'> {
  const placeOf = (value: number): number => {
    const distance = (stop: number): number => Math.abs(Math.log(stop / value));
    return stops.reduce((best, stop, at) => (distance(stop) < distance(stops[best] ?? 1) ? at : best), 0);
  };
  return { stops, placeOf };
}

function times(values: readonly number[], factors: readonly number[]): number[] {
  return factors.flatMap((factor) => values.map((value) => Math.round(value * factor)));
}

/** A duration as the console shows it, or in ms where that would round it. */
function exactText(ms: number): string {
  const shown = windowText(ms).replace('.0 s', ' s');
  return durationIn(shown) === ms ? shown : `${ms} ms`;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: second, m: minute, h: hour, d: day };
const durationPart = /(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*/y;

/** The duration in a text such as `1 m 30 s`, in ms; undefined if it is none. */
export function durationIn(text: string): number | undefined {
  const rest = text.trim().toLowerCase();
  let sum = 0;
  let at = 0;
  while (at < rest.length) {
    durationPart.lastIndex = at;
    const [part, count, unit] = durationPart.exec(rest) ?? [];
    if (part === undefined || count === undefined || unit === undefined) return undefined;
    sum += Number(count) * (units[unit] ?? 0);
    at += part.length;
  }
  return at > 0 ? Math.round(sum) : undefined;
}

/** The fault of a path of a key; undefined if it has none. */
export function keyFault(path: string): string | undefined {
  if (path.length > 1_000) return 'At most 1000 characters.';
  return path.split('.').some((name) => name === '')
    ? 'Names of fields, joined by dots, none of them empty.'
    : undefined;
}
