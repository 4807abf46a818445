import { isDeepStrictEqual } from 'node:util';

/** Throws, naming both sides, unless they are equal. */
export function agree(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: the service has ${JSON.stringify(actual)}, the model ${JSON.stringify(expected)}`);
}
