import { existsSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = 'docs/internals/where.md';

/**
 * The number of subsections of each chapter of the contract; 0 means that the chapter is one
 * section.
 */
const contract = { 1: 0, 2: 13, 3: 4, 4: 10, 5: 0, 6: 3, 7: 3, 8: 0, 9: 0 };
const rulings = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, '13a', 14].map((section) => `R${section}`);

interface House {
  house: string;
  doors?: boolean;
  rooms: string[];
}

interface Row {
  sections: string[];
  chapter: string;
  links: { text: string; path: string }[];
  line: string;
}

let rows: Row[];
let houses: House[];

beforeAll(async () => {
  rows = readRows(await readFile(join(root, page), 'utf8'));
  houses = JSON.parse(await readFile(join(root, 'src/rooms.json'), 'utf8'));
});

function readRows(text: string): Row[] {
  return text.split(/^## /m).flatMap((chapter) => {
    const number = /^\d+/.exec(chapter)?.[0] ?? '';
    const lines = chapter.split('\n').filter((line) => line.startsWith('| ') && !/^\| \w+ \| Files? \|$/.test(line));
    return lines.map((line) => ({ ...readRow(line), chapter: number, line }));
  });
}

function readRow(line: string): Pick<Row, 'sections' | 'links'> {
  const [, numbers = ''] = /^\| ((?:R?\d+a?(?:\.\d+)?(?:, )?)+) /.exec(line) ?? [];
  const links = [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text = '', target = '']) => ({
    text,
    path: normalize(join(dirname(page), target)),
  }));
  return { sections: numbers.split(', ').filter(Boolean), links };
}

const pathsOf = (some: readonly Row[]): string[] => some.flatMap(({ links }) => links.map(({ path }) => path));

const sectionsOfContract = (): string[] =>
  Object.entries(contract).flatMap(([chapter, count]) =>
    count === 0 ? [chapter] : Array.from({ length: count }, (_, index) => `${chapter}.${index + 1}`),
  );

describe('the page that says where each rule is', () => {
  it('has a row for each section of the contract and of the rulings, and for no other', () => {
    const named = new Set(rows.flatMap(({ sections }) => sections));
    expect([...named].sort()).toEqual([...sectionsOfContract(), ...rulings].sort());
  });

  it('puts each section of the contract into its chapter', () => {
    for (const { sections, chapter, line } of rows) {
      const chapters = sections.filter((section) => !section.startsWith('R')).map((section) => section.split('.')[0]);
      if (chapters.length > 0) expect(chapters, line).toContain(chapter);
    }
  });

  it('names at least one file in each row, and files only, as they are called', () => {
    expect(rows.filter(({ links }) => links.length === 0)).toEqual([]);
    const isFile = (path: string): boolean => existsSync(join(root, path)) && statSync(join(root, path)).isFile();
    expect(pathsOf(rows).filter((path) => !isFile(path))).toEqual([]);
    for (const { links } of rows)
      for (const { text, path } of links) expect(text).toBe(path.replace(/^src\/engine\//, ''));
  });

  it('names files that decide, and no door of a room', () => {
    const doors = houses.flatMap(({ house, doors: hasDoors, rooms }) =>
      hasDoors ? rooms.map((room) => `${house}/${room}/index.ts`) : [],
    );
    expect(pathsOf(rows).filter((path) => doors.includes(path))).toEqual([]);
  });

  it('names each room at least once', async () => {
    const rooms = await allRooms();
    expect(rooms).toEqual(expect.arrayContaining(['src/engine/passes', 'src/rest/streams', 'src/workers/scheduler']));
    const named = new Set(pathsOf(rows).map((path) => roomOf(path, rooms)));
    expect(rooms.filter((room) => !named.has(room))).toEqual([]);
  });
});

/** The rooms of `rooms.json`, and each folder with sources in the other houses. */
async function allRooms(): Promise<string[]> {
  const listed = houses.flatMap(({ house, rooms }) => rooms.map((room) => normalize(join(house, room))));
  const entries = await readdir(join(root, 'src'), { recursive: true });
  const folders = new Set(entries.filter((each) => each.endsWith('.ts')).map((each) => dirname(join('src', each))));
  const isElsewhere = (folder: string): boolean =>
    folder !== 'src' && !/^src\/(engine|schema|rest|generated)\b/.test(folder);
  return [...listed, ...[...folders].filter(isElsewhere)].sort();
}

/** The innermost room of a file. */
const roomOf = (path: string, rooms: readonly string[]): string | undefined =>
  rooms.filter((room) => path.startsWith(`${room}/`)).sort((one, other) => other.length - one.length)[0];
