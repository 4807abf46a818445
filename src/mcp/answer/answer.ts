import type { CallToolResult } from '@modelcontextprotocol/server';
import type { DataAnswer } from '../declare/tool.ts';
import { type Abridged, abridge, type Extent, type Path } from './abridge.ts';
import { fenceBytes, fenced } from './fence.ts';
import { visibleJson } from './visible.ts';

/** From what an answer shows if there is room, to what always fits. */
const extents: readonly Extent[] = [
  { characters: 1_024, elements: 20, keys: 50, levels: 32 },
  { characters: 256, elements: 8, keys: 25, levels: 8 },
  { characters: 64, elements: 3, keys: 10, levels: 4 },
  { characters: 16, elements: 1, keys: 3, levels: 2 },
  { characters: 16, elements: 0, keys: 0, levels: 0 },
];

/** Shows everything. */
export const whole: Extent = {
  characters: Number.POSITIVE_INFINITY,
  elements: Number.POSITIVE_INFINITY,
  keys: Number.POSITIVE_INFINITY,
  levels: Number.POSITIVE_INFINITY,
};

/** The most values that an answer names as abridged. */
const maxNamed = 20;

/** Data within the bound of an answer. */
export interface Fitted {
  data: Record<string, unknown>;
  /** The JSON text of the data, in which nothing is invisible. */
  json: string;
}

/**
 * Shortens the data until the text of its answer has at most `maxBytes`, beginning with `from`.
 * Undefined if it does not fit.
 */
export function fitData(
  { about, data, payloadPath, isWhole }: DataAnswer,
  maxBytes: number,
  upTo?: 'full',
): Fitted | undefined {
  const room = maxBytes - Buffer.byteLength(about) - fenceBytes;
  const tried = isWhole ? [whole] : upTo === 'full' ? extents.slice(0, 1) : extents;
  for (const extent of tried) {
    const { value, abridged } = abridge(data, extent);
    const shown = { ...Object(value), ...(abridged.length > 0 && named(abridged, payloadPath)) };
    const json = visibleJson(JSON.stringify(shown));
    if (Buffer.byteLength(json) <= room) return { data: shown, json };
  }
  return undefined;
}

const named = (abridged: readonly Abridged[], payloadPath: DataAnswer['payloadPath'] = pointer) => ({
  abridged: abridged.slice(0, maxNamed).map(({ path, bytes }) => ({ path: payloadPath(path), bytes })),
  ...(abridged.length > maxNamed && { abridgedMore: abridged.length - maxNamed }),
});

/** A JSON pointer (RFC 6901). */
export const pointer = (path: Path): string =>
  path.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The answer of a tool: our line, the fenced data, and the same data for programs. */
export function toResult(answer: DataAnswer, maxBytes: number): CallToolResult {
  const fitted = fitData(answer, maxBytes) ?? nothing(answer);
  return {
    content: [
      { type: 'text', text: answer.about },
      { type: 'text', text: fenced(fitted.json) },
    ],
    structuredContent: fitted.data,
  };
}

/** Even the names of the members do not fit. */
function nothing({ data }: DataAnswer): Fitted {
  const shown = { abridged: [{ path: '', bytes: Buffer.byteLength(JSON.stringify(data)) }] };
  return { data: shown, json: JSON.stringify(shown) };
}
