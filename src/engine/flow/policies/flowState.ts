import type { EngineContext } from '../../context.ts';
import { hasUnsupportedCharacter } from '../../json/index.ts';
import type { StateQuestion } from '../index.ts';
import { type CeilingState, readCeiling } from './concurrency/index.ts';
import { type PolicyStates, policyNames, policyOf } from './policies.ts';

/** The starts and runs that flow control holds back now (4.9). Lists are bounded. */
export type FlowState = PolicyStates & {
  concurrency: CeilingState;
};

/** The lists of the flow state, each with its policy. */
export const policyStates = policyNames.flatMap((name) => policyOf(name).state ?? []);

/**
 * The live state of a project's flow control (4.9): lists of at most 1000 rows, the fullest first.
 * Throws `notFound`.
 */
export async function readFlowState(ctx: EngineContext, question: StateQuestion): Promise<FlowState> {
  const { projectId, workflow = '', app = '' } = question;
  // No column can hold such a name.
  const isNone = hasUnsupportedCharacter(workflow) || hasUnsupportedCharacter(app);
  const [concurrency, ...lists] = await Promise.all([
    readCeiling(ctx, projectId),
    ...policyStates.map(({ read }) => (isNone ? [] : read(ctx, question))),
  ]);
  const states = Object.fromEntries(policyStates.map(({ field }, position) => [field, lists[position]]));
  return { ...(states as PolicyStates), concurrency };
}
