import { instant, int, rowset, statement, uuid } from '../../db/index.ts';
import { stepChangeSql, tellEndpointsSql } from '../../lifecycle/index.ts';
import { stepPayloadSql } from '../../timeline/index.ts';
import { endDueStepsSql } from '../../work/index.ts';

/**
 * Ends due sleeps and times out due waits of leased runs, as `wakingSql` does for parked runs.
 * Answers the runs with an ended step. A run that is not leased under its claim any more is
 * skipped. `run_work` is locked first. If an event was sooner, `run_step.status` tells.
 */
export const endOverdue = statement<{ runId: string }>('endOverdue').writes({
  params: {
    now: instant,
    dispatcherId: uuid,
    runs: rowset({ runId: uuid, claimNo: int }),
  },
  text: `
    with leased as materialized (
      select w.run_id, w.project_id, w.seq
      from (select * from $runs as c order by run_id offset 0) c
      cross join lateral (select * from run_work where run_id = c.run_id for update) w
      where w.lease_id = $dispatcherId and w.claim_no = c.claim_no and w.state = 'leased'
    ),
    ${endDueStepsSql('leased')},
${tellEndpointsSql(`${stepChangeSql('step', "'running'")}
      from step`)},
    numbered as materialized (
      select *, seq + row_number() over (partition by run_id order by position) as number from step
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select run_id, number, 'step_status', $clock, ${stepPayloadSql}
      from numbered
    )
    update run_work w set seq = n.last
    from (select run_id, max(number) as last from numbered group by run_id) n
    where w.run_id = n.run_id
    returning w.run_id
  `,
});
