import type { JsonSchema } from '../../rest/index.ts';
import type { DataAnswer, Path } from '../declare/tool.ts';
import { abridge } from './abridge.ts';
import { type Abridged, extents, pointer } from './extent.ts';
import { fenceBytes } from './fence.ts';
import { findSource } from './findSource.ts';
import { prune } from './prune.ts';
import { visible, visibleJson } from './visible.ts';

/** Data within the bound of an answer. */
export interface Fitted {
  data: Record<string, unknown>;
  /** The JSON text of the data, in which nothing is invisible. */
  json: string;
}

/** The data as it is shown where there is room; undefined if it does not fit. */
export function fitWhole(answer: DataAnswer, maxBytes: number): Fitted | undefined {
  const [most] = extents;
  const { value, abridged } = abridge(answer.data, most);
  const fitted = withNames(answer, value, abridged, most.named);
  return isWithin(fitted, roomOf(answer, maxBytes)) ? fitted : undefined;
}

/**
 * Shortens the data until the text of its answer has at most `maxBytes`. If all is short, the
 * largest parts go that the schema does not require. Undefined if what is left does not fit.
 */
export function fitData(answer: DataAnswer, maxBytes: number, schema: JsonSchema): Fitted | undefined {
  const room = roomOf(answer, maxBytes);
  if (answer.isExact) return { data: answer.data, json: visibleJson(JSON.stringify(answer.data)) };
  let shortest: { value: unknown; abridged: Abridged[] } = { value: {}, abridged: [] };
  for (const extent of extents) {
    shortest = abridge(answer.data, extent);
    const fitted = withNames(answer, shortest.value, shortest.abridged, extent.named);
    if (isWithin(fitted, room)) return fitted;
  }
  return fitPruned(answer, shortest, room, schema);
}

function fitPruned(
  answer: DataAnswer,
  { value, abridged }: { value: unknown; abridged: Abridged[] },
  room: number,
  schema: JsonSchema,
): Fitted | undefined {
  const all = [...abridged];
  for (let count = 3; count >= 0; count -= 1) {
    // Names of what goes take room as well, so a few turns may be needed.
    for (let turn = 0; turn < 5; turn += 1) {
      const fitted = withNames(answer, value, all, count);
      const tooMany = Buffer.byteLength(fitted.json) - room;
      if (tooMany <= 0) return fitted;
      const left = prune(value, schema, tooMany);
      if (left.length === 0) break;
      all.unshift(...left.map(({ path, bytes }) => ({ path, bytes: wholeBytes(answer.data, path) ?? bytes })));
    }
  }
  return undefined;
}

/** The end of our line where values are shortened. */
export const shortenedHint =
  ' Values named in `abridged` are shortened: read_payload reads those with an owner, a larger maxBytes shows the others.';

const roomOf = ({ about }: DataAnswer, maxBytes: number): number =>
  maxBytes - Buffer.byteLength(about) - shortenedHint.length - fenceBytes;

/** The bytes of a value before anything was shortened. */
function wholeBytes(data: unknown, path: Path): number | undefined {
  const source = findSource(data, path.map(String));
  return source === undefined ? undefined : Buffer.byteLength(source);
}

const isWithin = ({ json }: Fitted, room: number): boolean => Buffer.byteLength(json) <= room;

/** Names the values that are shown in part, by the arguments of `read_payload`. */
function withNames(answer: DataAnswer, value: unknown, abridged: readonly Abridged[], count: number): Fitted {
  const data = { ...Object(value), ...(abridged.length > 0 && namesOf(answer, abridged, count)) };
  return { data, json: visibleJson(JSON.stringify(data)) };
}

function namesOf({ placeOf }: DataAnswer, abridged: readonly Abridged[], count: number): object {
  const named = abridged.slice(0, count).map(({ path, bytes }) => {
    const place = placeOf?.(path);
    return { ...place?.of, path: visible(pointer(place?.path ?? path)), bytes };
  });
  return { abridged: named, ...(abridged.length > count && { abridgedMore: abridged.length - count }) };
}
