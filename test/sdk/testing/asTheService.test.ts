import { expect, it } from 'vitest';
import { compareWorlds } from '../../random/twins/compare.ts';

// The trial `testKit` plays many more (`test/random/testKit.test.ts`).
it('random workflows do in the test kit what they do in the service', async () => {
  const { failures, tried } = await compareWorlds({ seed: 20_260_101, from: 0, count: 12 });
  expect(failures).toEqual([]);
  expect(tried).toBe(12);
});
