import { nowUs } from '../../../index.ts';
import { refilledAt, tokenPolicy } from '../tokenBucket.ts';

/**
 * SQL: the time until which a due row of `run_work` must wait longer; null if it may start. A
 * run waits if it was never executed, and its bucket (`tokenThrottle`) was drained further
 * meanwhile. The current policy counts, so a removed policy holds no run. Other runs cost no
 * look-up. `offset 0` reads each row by its key, whatever the planner estimates.
 */
export const heldUntil = (work: string): string => `
  case when ${work}.token_key is not null and ${work}.claim_no = 0 then (
    select ${refilledAt({
      tat: 'f.arrival_us',
      now: nowUs,
      perMs: `(definition.flow_control -> '${tokenPolicy}' ->> 'perMs')`,
    })}
    from (select * from lane where id = ${work}.lane_id offset 0) lane
    cross join lateral (
      select flow_control from workflow
      where project_id = lane.project_id and app = lane.app and name = lane.workflow offset 0
    ) definition
    cross join lateral (
      select arrival_us from flow_rate
      where project_id = lane.project_id and policy = '${tokenPolicy}' and app = lane.app and workflow = lane.workflow
        and key = ${work}.token_key offset 0
    ) f
  ) end`;
