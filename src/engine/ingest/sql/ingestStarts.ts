import { bigint, bool, instant, ordinal, rowset, statement, uuid } from '../../db/index.ts';
import { hasGated } from '../../flow/policies/concurrency/index.ts';
import { statusPayloadSql } from '../../timeline/index.ts';
import { isNotFoundDead, queuePosition } from '../../work/index.ts';
import type { Intake, NewRun } from '../newRun.ts';
import { runColumns, startedColumns } from './runColumns.ts';

export interface StartedRow {
  ord: number;
  /** The slot of a gated run; null for other runs. */
  gatedSlot: string | null;
  /** Whether it was leased: an eager start. */
  leased: boolean;
  createdAt: Date;
}

export interface PlainStart {
  registryVersion: bigint;
  run: NewRun;
}

/** The start of an intake without an event or a dedupe key. */
export function plainStart({ event, runs, key, registryVersion }: Intake): PlainStart | undefined {
  const [run, ...others] = runs;
  if (
    event ||
    key ||
    !run ||
    run.envelope !== undefined ||
    others.length > 0 ||
    run.dedupe ||
    run.dedupeId !== undefined ||
    run.parent ||
    run.onFailureOf !== undefined
  )
    return undefined;
  if (run.gates || run.singleton !== undefined || run.startAt || run.ttlMs !== undefined) return undefined;
  return { registryVersion, run };
}

/**
 * A short form of `ingestIntakes` for plain starts, with half as many plan nodes. Returns the
 * indexes of starts decided on the current registry. The other starts wrote nothing.
 *
 * An eager start is leased here, by the rules of the claim. A dispatcher that was found dead gets
 * no lease (`me`). A project with a ceiling gets none either, because its runs are counted under a
 * lock. The checked registry version proves that the run has no slot.
 */
export const ingestStarts = statement<StartedRow>('ingestStarts').writes({
  params: {
    now: instant,
    dispatcherId: uuid.orNull,
    /** `eager`: that dispatcher has reserved a runner slot for the run. */
    starts: rowset({ ord: ordinal, registryVersion: bigint, ...runColumns, eager: bool }),
  },
  text: `
    with me as (select id from dispatcher where id = $dispatcherId and ${isNotFoundDead} for key share),
    fresh as materialized (
      select s.*, s.slot is not null and ${hasGated('s.slot')} as gated,
        s.eager and s.slot is null and p.concurrency_ceiling = 0 and exists (select from me) as leased
      from $starts as s
      join project p on p.id = s.project_id and p.registry_version = s.registry_version
    ),
    run_made as (
      insert into run (${startedColumns}, status, created_at, started_at)
      select ${startedColumns}, case when leased then 'running' else 'queued' end, $now,
        case when leased then $now end
      from fresh
    ),
    work_made as (
      insert into run_work (run_id, project_id, lane_id, state, position, seq, slot, slot_key, gate, token_key, shift_ms, lease_id,
        claim_no, ends_at, cancellable)
      select id, project_id, lane_id, case when leased then 'leased' when gated then 'gated' else 'ready' end,
        ${queuePosition('$clock', 'shift_ms')},
        case when leased then 2 else 1 end, slot, slot_key, case when gated then 'slot' end, token_key, nullif(shift_ms, 0),
        case when leased then $dispatcherId end, case when leased then 1 else 0 end,
        $now + max_duration_ms * interval '1 ms', cancellable
      from fresh
    ),
    frame_made as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select id, 1, 'run_status', $now, ${statusPayloadSql('queued')}::json from fresh
      union all
      select id, 2, 'run_status', $now, ${statusPayloadSql('running')} from fresh where leased
    )
    select ord, case when gated then slot::text end as gated_slot, leased,
      $now::timestamptz(3) as created_at
    from fresh
  `,
});
