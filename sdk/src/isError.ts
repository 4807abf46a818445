import { types } from 'node:util';

/**
 * Whether something is an error, of whichever realm: inside a sandbox those of Node are no
 * instances of its own `Error`.
 */
export const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);
