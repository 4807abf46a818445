import { statement } from '../../db/index.ts';
import type { Next, PassCommit } from '../commit.ts';
import { statusPayload } from '../framePayload.ts';
import type { Pass } from '../pass.ts';
import type { CommittedRow } from './commitPasses.ts';

export interface EndCommit {
  pass: Pass;
  end: Extract<Next, { kind: 'finish' }>;
}

/** The end in a plain commit that is nothing but one. */
export const soleEnd = ({ pass, next, steps }: PassCommit): EndCommit | undefined =>
  next.kind === 'finish' && steps.length === 0 ? { pass, end: next } : undefined;

/** What `commitPlain` does, for the end of one run: see `commitStep`. The deletion is the fence. */
export const commitEnd = statement<EndCommit & { now: Date | null }, CommittedRow>({
  name: 'commitEnd',
  writes: true,
  text: `
    with held as (
      delete from run_work
      where run_id = $2::uuid and lease_id = $3::uuid and claim_no = $4::int and state = 'leased' and not pausing
      returning run_id, seq + 1 as seq, wakes, coalesce($1::timestamptz, clock_timestamp()) as settled_at
    ),
    shown as (
      update run r set status = $5::text, result = $6::json, error = $7::json, ended_at = h.settled_at,
        paused_reason = null, paused_actor = null
      from held h where r.id = h.run_id
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, seq, 'run_status', settled_at, $8::json from held
    )
    select 0 as ord, false as kept, false as paused, wakes, seq, 1 as frames, null::uuid[] as withdrawn,
      coalesce($1::timestamptz, now()) as now, settled_at::timestamptz(3) as dated
    from held
  `,
  values: ({ pass, end, now }) => [
    now,
    pass.runId,
    pass.dispatcherId,
    pass.claimNo,
    end.status,
    end.result ?? null,
    end.error ?? null,
    statusPayload(end.status, end.error),
  ],
});
