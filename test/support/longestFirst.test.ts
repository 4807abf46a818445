import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from './build.ts';
import { longest } from './longestFirst.ts';

test('the files that start first exist', () => {
  expect(longest.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([]);
});
