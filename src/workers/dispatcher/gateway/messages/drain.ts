import { malformed } from '../closing.ts';

/**
 * Reads `drain`: the runner takes no new pass. `inFlight` names the invokes that it will still
 * answer; undefined means all that reach it. Unknown ids are allowed: the invoke may have been
 * answered or cancelled meanwhile.
 */
export function readDrain(fields: Readonly<Record<string, unknown>>): {
  type: 'drain';
  inFlight: ReadonlySet<string> | undefined;
} {
  const { inFlight } = fields;
  if (inFlight === undefined || inFlight === null) return { type: 'drain', inFlight: undefined };
  if (!Array.isArray(inFlight) || !inFlight.every((id) => typeof id === 'string')) {
    throw malformed('drain.inFlight must be an array of strings');
  }
  return { type: 'drain', inFlight: new Set(inFlight) };
}
