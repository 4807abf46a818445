// `npm run test:costs`: prints from vitest's JSON report which files took longest, and the sum of
// each folder. The report is that of `.ci/run`, unless a path is given.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './setup.mjs';

const listed = 30;

const file = process.argv[2] ?? join(root, '.cache/test-report.json');
const costs = JSON.parse(readFileSync(file, 'utf8')).testResults.map(({ name, startTime, endTime }) => ({
  name: relative(root, name),
  seconds: (endTime - startTime) / 1_000,
}));
const sum = costs.reduce((total, { seconds }) => total + seconds, 0);

/** Folders with the seconds of their files, by their first levels. */
function foldersOf(levels) {
  const folders = new Map();
  for (const { name, seconds } of costs) {
    const folder = dirname(name).split('/').slice(0, levels).join('/');
    folders.set(folder, (folders.get(folder) ?? 0) + seconds);
  }
  return [...folders].map(([name, seconds]) => ({ name, seconds }));
}

function print(title, list) {
  console.log(`\n${title}`);
  const longest = list.sort((one, other) => other.seconds - one.seconds).slice(0, listed);
  for (const { name, seconds } of longest) console.log(`${seconds.toFixed(1).padStart(9)} s  ${name}`);
}

print(`The slowest of ${costs.length} files, which took ${sum.toFixed(0)} s one after the other`, costs);
print('Folders', foldersOf(3));
