import type { Path } from '../declare/tool.ts';

/** How much of a value an answer shows. */
export interface Extent {
  /** Characters of a string of a payload. */
  characters: number;
  /** Elements of an array of a payload. */
  elements: number;
  /** Members of an object of a payload. */
  keys: number;
  /** Levels of arrays and objects of a payload. */
  levels: number;
  /** Characters of a string that is no payload, such as an error's stack. */
  ownCharacters: number;
  /** Elements of a list that is no payload. */
  rows: number;
  /** Values that are named as shortened, at most. */
  named: number;
}

/** From what an answer shows if there is room, to what nearly always fits. */
export const extents: readonly [Extent, ...Extent[]] = [
  {
    characters: 1_024,
    elements: 20,
    keys: 50,
    levels: 32,
    ownCharacters: 4_096,
    rows: Number.POSITIVE_INFINITY,
    named: 20,
  },
  { characters: 512, elements: 12, keys: 40, levels: 16, ownCharacters: 2_048, rows: 400, named: 20 },
  { characters: 256, elements: 8, keys: 25, levels: 8, ownCharacters: 1_024, rows: 100, named: 10 },
  { characters: 128, elements: 5, keys: 15, levels: 5, ownCharacters: 512, rows: 40, named: 10 },
  // A diagnosis of 8 KiB keeps its 20 log lines, the last of which tell most.
  { characters: 64, elements: 3, keys: 10, levels: 4, ownCharacters: 256, rows: 20, named: 5 },
  { characters: 48, elements: 3, keys: 8, levels: 3, ownCharacters: 128, rows: 20, named: 5 },
  { characters: 32, elements: 2, keys: 5, levels: 2, ownCharacters: 128, rows: 5, named: 5 },
  { characters: 16, elements: 0, keys: 0, levels: 0, ownCharacters: 64, rows: 1, named: 3 },
];

/** Shows everything. */
export const everything: Extent = {
  characters: Number.POSITIVE_INFINITY,
  elements: Number.POSITIVE_INFINITY,
  keys: Number.POSITIVE_INFINITY,
  levels: Number.POSITIVE_INFINITY,
  ownCharacters: Number.POSITIVE_INFINITY,
  rows: Number.POSITIVE_INFINITY,
  named: 0,
};

export type { Path };

/** A value that is shown in part. */
export interface Abridged {
  path: Path;
  /** The bytes of the whole value, as JSON. */
  bytes: number;
}

/** A JSON pointer (RFC 6901). */
export const pointer = (path: Path): string =>
  path.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The parts of a JSON pointer; undefined if the text is none. */
export function readPointer(text: string): string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'));
}
