import { agree } from '../kit/agree.ts';
import type { Scene } from '../storm/process.ts';
import { type Entry, firstTimes } from './journal.ts';
import type { RunRecord } from './runRecord.ts';
import { scopeOf } from './scopes.ts';
import type { Remains, Start } from './starts.ts';

/**
 * At any moment at most one run of a `singleton` scope is unfinished (I11). Returns the displaced
 * runs, whose successor came in the same commit.
 */
export function judgePlaces({ programs, coverage }: Scene, { runs, journal }: Remains): Set<string> {
  const holders = new Map<string, RunRecord>();
  const leavers = new Map<string, { entry: Entry; run: RunRecord }>();
  const displaced = new Set<string>();
  /** The commits that displaced them. */
  const losses = new Set<string>();
  for (const entry of journal) {
    const run = runs.get(entry.subject);
    const policy = run && programs.get(run.workflow)?.flow?.singleton;
    // A follow-on run holds no singleton.
    if (!run || !policy || run.on_failure_of !== null) continue;
    const scope = scopeOf(run, policy.key);
    const holder = holders.get(scope);
    if (entry.what === 'began') {
      if (holder) agree(`unfinished runs of singleton ${scope}`, [holder.id, run.id], 'one');
      holders.set(scope, run);
      const leaver = leavers.get(scope);
      if (leaver?.entry.tx !== entry.tx) continue;
      agree(`run ${leaver.run.id} of ${scope} gave way to ${run.id}`, policy.mode ?? 'cancel', 'cancel');
      coverage.count('singleton', leaver.entry.what === 'left' ? 'displaced by itself' : 'displaced');
      displaced.add(leaver.run.id);
      losses.add(`${leaver.run.id} ${entry.tx}`);
    } else if ((entry.what === 'ended' || entry.what === 'left') && holder === run) {
      holders.delete(scope);
      leavers.set(scope, { entry, run });
    }
  }
  // An answer that displaces its own run by an event may also report the run's failure.
  const failed = new Set(
    journal.flatMap(({ what, subject, tx }) =>
      what === 'ended' && losses.has(`${subject} ${tx}`) && runs.get(subject)?.status === 'failed' ? [subject] : [],
    ),
  );
  const given = [...displaced].filter((id) => runs.get(id)?.status !== 'cancelled' && !failed.has(id));
  agree('displaced runs that were not cancelled', given, []);
  return displaced;
}

/** A start is skipped only while the singleton has a holder that has not committed its end. */
export function judgeSkips({ programs }: Scene, { runs, journal }: Remains, starts: readonly Start[]): void {
  const [began, told] = [firstTimes(journal, 'began'), firstTimes(journal, 'told')];
  for (const { workflow, key, came, eventId, from, to } of starts) {
    const policy = programs.get(workflow)?.flow?.singleton;
    if (came !== 'skipped' || !policy) continue;
    const scope = scopeOf({ workflow, key }, policy.key);
    const isTaken = [...runs.values()].some(
      (run) =>
        run.workflow === workflow &&
        scopeOf(run, policy.key) === scope &&
        (began.get(run.id) ?? Number.NaN) <= to &&
        (told.get(run.id) ?? Number.NaN) >= from,
    );
    agree(`the place of ${scope} was taken when event ${eventId} was skipped`, isTaken, true);
  }
}
