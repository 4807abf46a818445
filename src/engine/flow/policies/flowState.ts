import type { EngineContext } from '../../context.ts';
import { hasUnsupportedCharacter } from '../../json/index.ts';
import { listBuffers, maxStateRows, type StateQuestion } from '../index.ts';
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
export async function readFlowState(
  ctx: EngineContext,
  { projectId, workflow }: Pick<StateQuestion, 'projectId' | 'workflow'>,
): Promise<FlowState> {
  const question = { projectId, workflow, buffers: buffersOnce(ctx, { projectId, workflow }) };
  // No column can hold such a name.
  const isNone = workflow !== undefined && hasUnsupportedCharacter(workflow);
  const [concurrency, ...lists] = await Promise.all([
    readCeiling(ctx, projectId),
    ...policyStates.map(({ read }) => (isNone ? [] : read(ctx, question))),
  ]);
  const states = Object.fromEntries(policyStates.map(({ field }, position) => [field, lists[position]]));
  return { ...(states as PolicyStates), concurrency };
}

/** Reads the buffers once, for all policies that show them. */
function buffersOnce(
  ctx: EngineContext,
  { projectId, workflow }: Pick<StateQuestion, 'projectId' | 'workflow'>,
): StateQuestion['buffers'] {
  let rows: ReturnType<typeof listBuffers> | undefined;
  return () => {
    rows ??= listBuffers(ctx.db, { projectId, workflow, limit: 2 * maxStateRows });
    return rows;
  };
}
