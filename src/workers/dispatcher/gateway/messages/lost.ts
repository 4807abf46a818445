import { malformed } from '../closing.ts';

/** Reads `lost`: the runner does not hold the handler that the invoke of that id is to continue. */
export function readLost({ id }: Readonly<Record<string, unknown>>): { type: 'lost'; id: string } {
  if (typeof id !== 'string') throw malformed('lost.id must be a string');
  return { type: 'lost', id };
}
