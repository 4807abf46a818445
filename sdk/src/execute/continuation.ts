import { type MemoEntry, opcodeLimit } from '../protocol.ts';
import { hashStepId } from '../stepId.ts';
import { type Report, report } from './opcodeText.ts';

/**
 * A step of the library's own, by which the service asks again at once. An answer that holds only
 * parked steps would park the run. Yet steps beyond the limit of an answer must still run, and an
 * ended handler waits for nothing. So the answer adds this step, already settled as skipped.
 */
const baseName = '@more';
const reason = 'the next pass follows at once: more steps than an answer can report, or a handler that is over';

/** New steps that a pass performs. The answer reserves one more for the continuation. */
export const stepsPerPass = opcodeLimit - 1;
export const continuationBytes = 512;

const nameOf = (use: number): string => (use === 0 ? baseName : `${baseName}:${use}`);
/** Hashes a name that no step of a handler can have (`checkStepName`). */
const idOf = (use: number): string => hashStepId(`\0${nameOf(use)}`);

/** The step that makes the service ask again at once. `use`: how many the run has had before. */
export const continuation = (use: number): Report =>
  report({ op: 'StepRun', id: idOf(use), name: nameOf(use), skipped: true }, true, { data: reason });

/** The memo of the handler's own steps, and the number of continuations beside them. */
export function withoutContinuations(memo: Record<string, MemoEntry>): {
  own: Record<string, MemoEntry>;
  uses: number;
} {
  let uses = 0;
  while (Object.hasOwn(memo, idOf(uses))) uses += 1;
  if (uses === 0) return { own: memo, uses };
  const own = { ...memo };
  for (let use = 0; use < uses; use += 1) delete own[idOf(use)];
  return { own, uses };
}
