import { type MemoEntry, opcodeLimit } from '../protocol.ts';
import { hashStepId } from '../stepId.ts';
import { type Report, report } from './opcodeText.ts';

/**
 * Where a pass reaches more steps than an answer can report, the others are left to the next pass;
 * and a handler that is over has nothing to wait for. An answer of nothing but parked steps would
 * park the run until one of those wakes. So it carries one more step, a skipped one of the
 * library's own: what is settled makes the service ask again at once.
 */
const baseName = '@more';
const reason = 'the next pass follows at once: more steps than an answer can report, or a handler that is over';

/** New steps that a pass performs. An answer has room for one more, see above. */
export const stepsPerPass = opcodeLimit - 1;
/** More than the continuation takes. */
export const continuationBytes = 512;

const nameOf = (use: number): string => (use === 0 ? baseName : `${baseName}:${use}`);
/**
 * Of a name that no step of a handler can have (`checkStepName`), so that none is ever taken for
 * it.
 */
const idOf = (use: number): string => hashStepId(`\0${nameOf(use)}`);

/**
 * The step that makes the service ask again at once. `memo`: what the run has saved, earlier
 * continuations among it.
 */
export function continuation(memo: Record<string, MemoEntry>): Report {
  const use = usesIn(memo);
  return report({ op: 'StepRun', id: idOf(use), name: nameOf(use), skipped: true }, true, { data: reason });
}

/** What is saved of the handler's own steps. */
export function withoutContinuations(memo: Record<string, MemoEntry>): Record<string, MemoEntry> {
  const uses = usesIn(memo);
  if (uses === 0) return memo;
  const own = { ...memo };
  for (let use = 0; use < uses; use += 1) delete own[idOf(use)];
  return own;
}

function usesIn(memo: Record<string, MemoEntry>): number {
  let uses = 0;
  while (Object.hasOwn(memo, idOf(uses))) uses += 1;
  return uses;
}
