// Part of `npm run lint`: checks the order of the rooms and their indexes, as `src/rooms.json`
// lists them.
//
// Each house lists its rooms from the lowest to the highest; `.` stands for the files of the house
// itself. A room imports only lower rooms. In a house with doors, imports from outside a room go
// through its index. An index exports only from its own room. Some packages have one file that
// alone imports them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const houses = JSON.parse(readFileSync('src/rooms.json', 'utf8'));
const importPattern = /\bfrom '(\.[^']+)'|\bimport '(\.[^']+)'|\bimport\('(\.[^']+)'\)/g;
const packagePattern = /\bfrom '([^.'][^']*)'|\bimport '([^.'][^']*)'|\bimport\('([^.'][^']*)'\)/g;

/** Packages by their beginnings, and the file that imports them. */
const keepers = [['@ai-sdk/', 'src/workers/inference/provider/adapter.ts']];

/** The house and the room of a file: the longest listed name with which its path begins. */
function placeOf(file) {
  const house = houses.find((candidate) => file.startsWith(`${candidate.house}/`));
  if (!house) return undefined;
  const path = file.slice(house.house.length + 1);
  const named = house.rooms.filter((room) => path.startsWith(`${room}/`)).sort((a, b) => b.length - a.length);
  const room = path.includes('/') ? named[0] : '.';
  return { house, room, level: house.rooms.indexOf(room), index: `${house.house}/${room}/index.ts` };
}

function complaintsOf(file) {
  const here = placeOf(file);
  if (here?.level === -1) return [`${file}: its room is not in src/rooms.json`];
  return importsOf(file).flatMap((target) => {
    const there = placeOf(target);
    if (!there || (there.house === here?.house && there.room === here.room)) return [];
    return [wrongOrder(here, there), wrongDoor(here, there, { file, target })]
      .filter(Boolean)
      .map((reason) => `${file} imports ${target}: ${reason}`);
  });
}

function strayImportsOf(file) {
  const found = [...readFileSync(file, 'utf8').matchAll(packagePattern)].map(
    (match) => match[1] ?? match[2] ?? match[3],
  );
  return found.flatMap((name) =>
    keepers
      .filter(([beginning, keeper]) => name.startsWith(beginning) && file !== keeper)
      .map(([, keeper]) => `${file} imports ${name}: only ${keeper} does`),
  );
}

function wrongOrder(here, there) {
  if (here?.house !== there.house || there.level < here.level) return undefined;
  return `the room ${there.room} does not stand below ${here.room}`;
}

function wrongDoor(here, there, { file, target }) {
  if (!there.house.doors || there.room === '.') return undefined;
  if (target !== there.index) return `the room ${there.room} is entered by ${there.index}`;
  if (here && file === here.index) return 'an index lists its own room only';
  return undefined;
}

function importsOf(file) {
  const found = [...readFileSync(file, 'utf8').matchAll(importPattern)];
  return found.map((match) => normalize(join(dirname(file), match[1] ?? match[2] ?? match[3])));
}

const missing = houses.flatMap(({ house, rooms }) =>
  rooms.filter((room) => !existsSync(`${house}/${room}`)).map((room) => `src/rooms.json: there is no ${house}/${room}`),
);
const files = readdirSync('src', { recursive: true })
  .map((file) => `src/${file}`)
  .filter((file) => file.endsWith('.ts') && !file.startsWith('src/generated/'));
const complaints = [...missing, ...files.flatMap(complaintsOf), ...files.flatMap(strayImportsOf)];
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exit(1);
