import { allowanceOf } from '../ai/index.ts';
import type { StepRow } from './commit.ts';
import type { Pass, Reported } from './pass.ts';

const none: ReadonlySet<string> = new Set();

/** Notes that the request which is being written tells its runner of the whole memo. */
export function tellAll(pass: Pass): void {
  const { dbNow: now, memo } = pass;
  const pending = memo.hasOpen ? new Set(memo.pending(now).map(({ stepId }) => stepId)) : none;
  pass.told = { memo, settled: memo.settled, pending };
  pass.reported = undefined;
}

/** What the runner reported of the committed steps. Other steps have results of the service. */
export const reportedBy = (steps: readonly StepRow[]): Reported =>
  new Map(
    steps.flatMap(({ op, output, status, stepId }) =>
      op === 'StepRun' && (status === 'succeeded' || status === 'skipped') ? [[stepId, output]] : [],
    ),
  );

/**
 * The JSON text of the members of a `continue`: what is new in the memo since the runner was told
 * of it, and the balance under a cap. Undefined: only a full pass tells everything, because a step
 * is to be repeated, or the memo has not grown at its end.
 */
export function continueText(pass: Pass): string | undefined {
  const { ai, dbNow: now, memo, reported, told } = pass;
  if (!told || !reported || memo.nextAttempts(now) || !memo.extends(told.memo, told.settled)) return undefined;
  const settled = memo.entriesFrom(
    told.settled,
    ({ stepId, output }) => reported.has(stepId) && reported.get(stepId) === output,
  );
  const pending = memo
    .pending(now)
    .flatMap(({ stepId }) => (told.pending.has(stepId) ? [] : `${JSON.stringify(stepId)}:{"pending":true}`));
  tellAll(pass);
  const balance = ai ? `,"ai":${JSON.stringify(allowanceOf(ai))}` : '';
  return `"steps":{${[...settled, ...pending].join(',')}}${balance}`;
}
