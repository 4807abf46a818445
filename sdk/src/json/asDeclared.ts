/**
 * Data from the wire, as the author of a workflow declared it: event data, saved results. The
 * library cannot check such a declaration, which exists for the compiler only; this is the one
 * place that takes its word.
 */
export function asDeclared<T>(data: unknown): T {
  return data as T;
}
