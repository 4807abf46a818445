// The last part of `npm run lint`: comments end at column 100. The formatter does not wrap them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const columns = 100;
/**
 * A line that holds only a comment, except for directives of tools, which must stay on one line.
 */
const isComment = (line) => /^\s*(\/\/|\/\*|\*)/.test(line) && !/^\s*\/\/ (biome-ignore|@ts-)/.test(line);

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => !file.includes('/generated/'));
const long = files.flatMap((file) => {
  const path = join(root, file);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.flatMap((line, at) => (line.length > columns && isComment(line) ? [`${file}:${at + 1}`] : []));
});
if (long.length > 0) {
  console.error(`comments go beyond column ${columns}:\n${long.join('\n')}`);
  process.exitCode = 1;
}
