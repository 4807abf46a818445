import { capReached } from '@holdfast/sdk/protocol';
import { agree } from '../kit/agree.ts';
import { spends, tokensOf } from '../program/spend.ts';
import type { Entry } from './journal.ts';
import type { StepRecord } from './runRecord.ts';
import type { Case } from './verdict.ts';

/** A call that the runner refused because of its run's spend. */
export const isRefusal = (row: StepRecord): boolean => row.op === 'StepRun' && row.error?.name === 'BudgetError';

/** The spend of each run, by commit. */
export function spentByRun(journal: readonly Entry[]): Map<string, number[]> {
  const commits = new Map<string, Map<string, number>>();
  for (const { subject, what, tx, key } of journal) {
    if (what !== 'spent') continue;
    const own = commits.get(subject) ?? new Map<string, number>();
    commits.set(subject, own.set(tx, (own.get(tx) ?? 0) + Number(key)));
  }
  return new Map([...commits].map(([runId, own]) => [runId, [...own.values()]]));
}

/** Each attempt that called a model is counted once, with its reported usage. */
export function judgeUsage({ run, program }: Case, own: readonly StepRecord[]): void {
  const calls = own.filter((row) => row.op === 'StepRun' && row.status !== 'cancelled' && !isRefusal(row));
  const expected = spends(program)
    ? calls.map(({ index, attempt, name }) => ({ index, attempt, tokens: tokensOf(name) }))
    : [];
  agree(`what run ${run.id} (${run.workflow}) spent`, run.usage ?? [], expected);
}

/**
 * The commit that reaches a run's cap is the last one that counts. If the runner calls a model
 * anyway, one more counts, and the run fails (I12). Returns the error of that failure; undefined
 * without one.
 */
export function judgeCap({ scene, run, program, spent }: Case, own: readonly StepRecord[]): string | undefined {
  const cap = program.flow?.cap;
  if (!cap) return undefined;
  let [tokens, refusal] = [0, undefined as string | undefined];
  for (const each of spent.get(run.id) ?? []) {
    agree(`run ${run.id} spends on after it was refused`, refusal, undefined);
    refusal = capReached({ tokens, ...cap });
    tokens += each;
  }
  const refused = own.filter(isRefusal);
  for (const row of refused) {
    agree(
      `${row.name} of run ${run.id} is refused for ${tokens} tokens`,
      row.error?.message,
      capReached({ tokens, ...cap }),
    );
  }
  if (refused.length > 0) scene.coverage.count('cap', 'refused by the runner');
  if (refusal === undefined) return undefined;
  agree(`run ${run.id}, which spent on after its cap`, run.status, 'failed');
  scene.coverage.count('cap', 'ended by the service');
  return refusal;
}
