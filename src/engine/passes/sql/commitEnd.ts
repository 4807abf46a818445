import { instant, json, statement, text } from '../../db/index.ts';
import { hasEndpointsSql } from '../../lifecycle/index.ts';
import { statusPayload } from '../../timeline/index.ts';
import type { Next, PassCommit } from '../commit.ts';
import type { Pass } from '../pass.ts';
import { fence } from './commitColumns.ts';
import type { CommittedRow } from './commitPasses.ts';

export interface EndCommit {
  pass: Pass;
  end: Extract<Next, { kind: 'finish' }>;
}

/** The end in a plain commit that has no steps. */
export const soleEnd = ({ pass, next, steps }: PassCommit): EndCommit | undefined =>
  next.kind === 'finish' && steps.length === 0 ? { pass, end: next } : undefined;

/**
 * The same as `commitPlain`, for the end of one run (see `commitStep`). The deletion is the fence.
 */
export const commitEnd = statement<CommittedRow>('commitEnd').writes({
  params: {
    now: instant,
    ...fence,
    status: text.of(({ end }: EndCommit) => end.status),
    result: json.orNull.of(({ end }: EndCommit) => end.result),
    error: json.orNull.of(({ end }: EndCommit) => end.error),
    payload: json.of(({ end }: EndCommit) => statusPayload(end.status, end.error)),
  },
  text: `
    with held as (
      delete from run_work
      where run_id = $runId and lease_id = $leaseId and claim_no = $claimNo and state = 'leased' and not pausing
        and not ${hasEndpointsSql('run_work.project_id')}
      returning run_id, seq + 1 as seq, wakes, $clock as settled_at
    ),
    shown as (
      update run r set status = $status, result = $result, error = $error, ended_at = h.settled_at,
        paused_reason = null, paused_actor = null
      from held h where r.id = h.run_id
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq, 'run_status', settled_at, $payload from held
    )
    select 0 as ord, false as kept, false as paused, wakes, seq, 1 as frames, null::uuid[] as withdrawn,
      $now as now, settled_at::timestamptz(3) as dated
    from held
  `,
});
