import { readWaiting } from '../../../src/engine/diagnosis/index.ts';
import { readWaits } from '../../../src/engine/runs/index.ts';
import { agree } from '../kit/agree.ts';
import type { Process, Scene } from '../storm/process.ts';

/** Kinds of `waitingFor` that stand for several causes. */
const kinds: Readonly<Record<string, string>> = { concurrency: 'slot', ceiling: 'slot', dispatcher: 'runner' };

/**
 * At a moment of rest, each unfinished run has a cause, and the first one is that of `waitingFor`.
 * Runs that a dead process still leases are left out.
 */
export async function judgeWaits({ db, projectId, coverage }: Scene, { engine }: Process): Promise<void> {
  const { rows } = await db.query<{ run_id: string; now: Date }>({
    name: 'restingOfProject',
    text: `select run_id, now() as now from run_work where project_id = $1 and state <> 'leased' order by run_id`,
    values: [projectId],
  });
  const now = rows[0]?.now;
  if (!now) return;
  const runIds = rows.map((row) => row.run_id);
  const [waiting, waits] = [await readWaiting(engine, { projectId, runIds }), await readWaits(engine.db, runIds)];
  for (const runId of runIds) {
    const causes = waiting.get(runId) ?? [];
    const [first] = causes;
    agree(`a cause for run ${runId}`, first !== undefined, true);
    if (!first) continue;
    for (const { kind } of causes) coverage.count('cause', kind);
    const wait = waits.get(runId);
    // Of several steps that are due already, any may come first.
    const isDue = first.until !== undefined && first.until <= now;
    if (wait && !isDue && !isTie(first.until, wait.until) && first.kind !== 'dispatcher')
      agree(`the first cause of run ${runId}`, kinds[first.kind] ?? first.kind, wait.kind);
  }
}

/**
 * Whether two waits end nearly together. The commit orders the steps of a run by the instant of
 * its claim, and the causes by the instant of the commit.
 */
const isTie = (one: Date | undefined, other: Date | undefined): boolean =>
  one !== undefined && other !== undefined && Math.abs(one.getTime() - other.getTime()) <= tieMs;

const tieMs = 1_000;
