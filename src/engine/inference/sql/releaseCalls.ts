import { float8, instant, int, rowset, statement, uuid } from '../../db/index.ts';
import { movedToKeySql } from './keySql.ts';
import { openSendsSql } from './openSendsSql.ts';

interface FreedRow {
  runId: string;
  stepIndex: number;
}

/** Frees calls that were leased but not sent. They are due as before, or after a time. */
export const freeCalls = statement<FreedRow>('freeCalls').writes({
  params: { now: instant, processId: uuid, inMs: float8, calls: rowset({ runId: uuid, stepIndex: int, claimNo: int }) },
  text: `
    update inference_call c
    set lease_id = null, due_at = case when $inMs > 0 then greatest(c.due_at, $now + $inMs * interval '1 ms') else c.due_at end,
      ${movedToKeySql('c')}
    from $calls as k
    where c.run_id = k.run_id and c.step_index = k.step_index and c.claim_no = k.claim_no and c.lease_id = $processId
    returning c.run_id, c.step_index
  `,
});

/**
 * Frees calls of a process that it does not know, because an answer was lost. A send under way
 * counts a failure, so that a call which is lost each time ends, too.
 */
export const freeStrayCalls = statement<FreedRow>('freeStrayCalls').writes({
  params: { processId: uuid, known: rowset({ runId: uuid, stepIndex: int, claimNo: int }) },
  text: `
    with stray as (
      select ctid from inference_call
      where lease_id is not null and lease_id = $processId
        and (run_id, step_index, claim_no) not in (select k.run_id, k.step_index, k.claim_no from $known as k)
      order by key_id, lane_id, project_id
      for update skip locked
    )
    update inference_call c
    set lease_id = null, failures = c.failures + ${openSendsSql('c')}, ${movedToKeySql('c')}
    where c.ctid = any(array(select ctid from stray))
    returning c.run_id, c.step_index
  `,
});

/** Ends the look of a call into the cache. It queues for its lane. */
export const endLook = statement<{ runId: string }>('endLook').writes({
  params: { processId: uuid, runId: uuid, stepIndex: int, claimNo: int },
  text: `
    update inference_call c
    set lease_id = null, looks_up = false, ${movedToKeySql('c')}
    where c.run_id = $runId and c.step_index = $stepIndex and c.claim_no = $claimNo and c.lease_id = $processId
    returning c.run_id, c.step_index
  `,
});
