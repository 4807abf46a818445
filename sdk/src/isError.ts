import { types } from 'node:util';

/**
 * Whether a value is an error of any realm. In a sandbox, Node's errors are no instances of its own
 * `Error`.
 */
export const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);
