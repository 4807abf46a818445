import { opcodeLimit, type StartedStep } from '@holdfast/sdk/protocol';
import { malformed } from '../closing.ts';

/**
 * Reads `started`: the bodies of these steps have been executing for a while. Unknown ids of
 * invokes are allowed: the invoke may have ended meanwhile. The engine checks ids and names of
 * steps as it checks those of opcodes.
 */
export function readStarted(fields: Readonly<Record<string, unknown>>): {
  type: 'started';
  id: string;
  steps: StartedStep[];
} {
  const { id, steps } = fields;
  if (typeof id !== 'string') throw malformed('started.id must be a string');
  if (!Array.isArray(steps) || steps.length > opcodeLimit) {
    throw malformed(`started.steps must be an array of at most ${opcodeLimit} steps`);
  }
  return { type: 'started', id, steps: steps.map(readStep) };
}

function readStep(value: unknown, at: number): StartedStep {
  if (typeof value !== 'object' || value === null) throw malformed(`started.steps[${at}] must be an object`);
  const { id, name, attempt, elapsedMs, position }: { [Field in keyof StartedStep]?: unknown } = value;
  if (typeof id !== 'string' || typeof name !== 'string') {
    throw malformed(`started.steps[${at}] needs an id and a name: strings`);
  }
  if (!isCount(attempt, 1)) throw malformed(`started.steps[${at}].attempt must be an integer from 1`);
  if (typeof elapsedMs !== 'number' || !(elapsedMs >= 0)) {
    throw malformed(`started.steps[${at}].elapsedMs must be a number from 0`);
  }
  if (position === undefined || position === null) return { id, name, attempt, elapsedMs };
  if (!isCount(position, 0) || position >= opcodeLimit) {
    throw malformed(`started.steps[${at}].position must be an integer from 0 to ${opcodeLimit - 1}`);
  }
  return { id, name, attempt, elapsedMs, position };
}

const isCount = (value: unknown, least: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
