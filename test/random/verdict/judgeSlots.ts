import { agree } from '../kit/agree.ts';
import type { Scene } from '../storm/process.ts';
import type { RunRecord } from './runRecord.ts';
import { scopeOf } from './scopes.ts';
import type { Remains } from './starts.ts';

/**
 * At any moment no more runs of a scope execute than `concurrency` allows, and no more of the
 * project than its ceiling (I11). Parked, paused and dead runs do not count.
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
