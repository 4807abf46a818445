import { asDeclared } from '../json/asDeclared.ts';
import { MisuseError, told } from '../misuse.ts';
import { report } from './opcodeText.ts';
import type { StepWork } from './pass.ts';

/** What the body of a step gets. */
export interface StepInfo {
  /** The step's name in this run: its id, or `id:1`, `id:2` where the id was used again. */
  readonly name: string;
  /** From 1. */
  readonly attempt: number;
  /** Aborts when the result no longer counts: the run was cancelled, or the connection was lost. */
  readonly signal: AbortSignal;
}

/** What steps of a pass are told about it. */
export interface StepSurroundings {
  /** Which attempt comes next, by hashed id, of steps that failed before. */
  readonly attempts: Record<string, number>;
  readonly signal: AbortSignal;
}

// The signatures of `run` tie the input to the body; here they are only passed from one to the
// other.
export type RunArguments<Info = StepInfo> =
  | [body: (info: Info) => unknown]
  | [options: { input: unknown }, body: (input: never, info: Info) => unknown];

export const stepInfo = (name: string, id: string, { attempts, signal }: StepSurroundings): StepInfo => ({
  name,
  attempt: attempts[id] ?? 1,
  signal,
});

/** The arguments of a step that has a body; throws a `TypeError` where none was given. */
export function withBody<Info>(id: string, args: RunArguments<Info>): RunArguments<Info> {
  const body: unknown = args.at(-1);
  if (typeof body === 'function') return args;
  throw new MisuseError(
    `step "${id}" needs a body: a function, as the last argument, that does its work; it is ${told(body)}`,
  );
}

/** Runs the body: what it returned, with the input where one was given. */
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
