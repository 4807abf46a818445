/**
 * Casts data from the wire to the type that the author of a workflow declared for it. The library
 * cannot check that type, which exists only for the compiler. No other place casts so.
 */
export function asDeclared<T>(data: unknown): T {
  return data as T;
}
