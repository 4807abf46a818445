import { expect, test } from 'vitest';
import { connectionLimit } from '../src/connectionLimit.ts';

test.each([
  [1_048_576, 1_046_266],
  [20_000, 17_690],
  [1_024, 512],
  [1, 1],
])('of %i open files, %i are for connections', (files, connections) => {
  expect(connectionLimit({ databasePoolSize: 10 }, files)).toBe(connections);
});

test('the limit of this process leaves files for the database', () => {
  expect(connectionLimit({ databasePoolSize: 10 })).toBeGreaterThan(0);
});
