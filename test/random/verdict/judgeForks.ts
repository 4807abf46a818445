import { agree } from '../kit/agree.ts';
import { isFinal } from './lastRequest.ts';
import type { RunRecord, StepRecord } from './runRecord.ts';
import type { Case } from './verdict.ts';

const isSame = (one: StepRecord, other: StepRecord): boolean =>
  one.index === other.index && one.attempt === other.attempt && one.started_at === other.started_at;

const sourceOf = (run: RunRecord, runs: ReadonlyMap<string, RunRecord>): RunRecord | undefined =>
  run.replay_of === null ? undefined : runs.get(run.replay_of);

/** The rows that a fork copied from its source. They keep their times, to the microsecond. */
export function carriedRows(run: RunRecord, runs: ReadonlyMap<string, RunRecord>): Set<StepRecord> {
  const former = sourceOf(run, runs)?.rows ?? [];
  return new Set((run.rows ?? []).filter((row) => former.some((each) => isSame(each, row))));
}

/**
 * A fork's copies equal those of its source, byte for byte: each settled step before the one that
 * was retried, and no step that the end of the source cut off.
 */
export function judgeCarried({ scene, run, runs, program }: Case, carried: ReadonlySet<StepRecord>): void {
  const source = sourceOf(run, runs);
  if (!source || carried.size === 0) return;
  scene.coverage.count('fork', 'carried steps');
  const rows = [...carried];
  const last = Math.max(...rows.map(({ index }) => index));
  const ended = (source.steps ?? []).filter(
    (row) =>
      row.status === 'succeeded' || row.status === 'skipped' || (row.status === 'failed' && isFinal(row, program)),
  );
  const expected = (source.rows ?? []).filter(
    (row) => row.index <= last && ended.some(({ index }) => index === row.index),
  );
  agree(`what run ${run.id} carries from ${source.id}`, rows.map(contentOf), expected.map(contentOf));
}

const contentOf = (row: StepRecord) => ({
  name: row.name,
  index: row.index,
  attempt: row.attempt,
  op: row.op,
  status: row.status,
  output: row.output,
  error: row.error,
  child: row.child_run_id,
  at: row.ended_at,
});
