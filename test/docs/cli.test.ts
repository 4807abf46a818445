import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { invariants } from '../../src/engine/doctor/index.ts';

it('the reference of the command line lists every invariant that the doctor looks for', async () => {
  const page = await readFile(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| (I\d+) \|/gm)].map(([, id]) => id);
  expect(listed).toEqual(Object.keys(invariants));
});
