import { agree } from '../kit/agree.ts';
import type { Scene } from '../storm/process.ts';
import type { RunRecord } from './runRecord.ts';
import { scopeOf } from './scopes.ts';
import type { Remains } from './starts.ts';

/**
 * At every moment no more runs of a scope execute than its workflow's `concurrency` says, and no
 * more of the project than its ceiling (I11). Only who executes counts: who is parked, paused or
 * dead takes no place.
 */
export function judgeSlots({ programs, ceiling, coverage }: Scene, { runs, journal }: Remains): void {
  const executing = new Map<string, Set<string>>();
  const limits = (run: RunRecord): { scope: string; limit: number; what: string }[] => {
    const slots = programs.get(run.workflow)?.flow?.concurrency;
    return [
      ...(slots ? [{ scope: scopeOf(run, slots.key), limit: slots.limit, what: 'slot' }] : []),
      ...(ceiling > 0 ? [{ scope: '', limit: ceiling, what: 'ceiling' }] : []),
    ];
  };
  for (const { subject: runId, what: change } of journal) {
    const run = runs.get(runId);
    for (const { scope, limit, what } of run ? limits(run) : []) {
      const busy = executing.get(scope) ?? new Set();
      executing.set(scope, busy);
      if (change === 'leased') busy.add(runId);
      if (change === 'freed' || change === 'ended') busy.delete(runId);
      if (busy.size > limit) agree(`what executes of ${what} ${scope} at once`, [...busy], `at most ${limit}`);
      if (busy.size === limit) coverage.count('full', what);
    }
  }
}
