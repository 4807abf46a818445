import { asDeclared } from '../json/asDeclared.ts';
import { described, MisuseError } from '../misuse.ts';
import { report } from './opcodeText.ts';
import type { StepWork } from './pass.ts';

/** The argument of a step's body. */
export interface StepInfo {
  /** The step's name in this run: its id, or `id:1`, `id:2` for repeated uses of an id. */
  readonly name: string;
  /** Starts at 1. */
  readonly attempt: number;
  /** Aborts when the result no longer counts: the run was cancelled, or the connection was lost. */
  readonly signal: AbortSignal;
}

/** The context that a pass gives its steps. */
export interface StepSurroundings {
  /** The next attempt of each step that failed before, by hashed id. */
  readonly attempts: Record<string, number>;
  readonly signal: AbortSignal;
}

// The signatures of `run` relate the input to the body; here both are untyped.
export type RunArguments<Info = StepInfo> =
  | [body: (info: Info) => unknown]
  | [options: { input: unknown }, body: (input: never, info: Info) => unknown];

export const stepInfo = (name: string, id: string, { attempts, signal }: StepSurroundings): StepInfo => ({
  name,
  attempt: attempts[id] ?? 1,
  signal,
});

/** The arguments of a step with a body. Throws a `TypeError` without one. */
export function withBody<Info>(id: string, args: RunArguments<Info>): RunArguments<Info> {
  const body: unknown = args.at(-1);
  if (typeof body === 'function') return args;
  throw new MisuseError(
    `step "${id}" needs a body: a function, as the last argument, that does its work; it is ${described(body)}`,
  );
}

/** Calls the body, and returns its result and the input, if any. */
export async function callBody<Info>(
  args: RunArguments<Info>,
  info: Info,
): Promise<{ data: unknown; input?: unknown }> {
  if (args.length === 1) return { data: await args[0](info) };
  const [{ input }, body] = args;
  return { input, data: await body(asDeclared(input), info) };
}

export function runWork(args: RunArguments, surroundings: StepSurroundings): StepWork<never> {
  return {
    kind: 'StepRun',
    read: (data) => asDeclared(data),
    perform: async (name, id) =>
      report({ op: 'StepRun', id, name }, true, await callBody(args, stepInfo(name, id, surroundings))),
  };
}
