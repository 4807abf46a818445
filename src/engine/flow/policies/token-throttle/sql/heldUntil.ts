import { nowUs } from '../../../index.ts';
import { refilledAt, tokenPolicy } from '../tokenBucket.ts';

/**
 * SQL: until when a row of `run_work` that comes due is held back all the same; null when it may
 * go. It is held back if it has never been executed and its bucket (`tokenThrottle`) has been
 * drained further meanwhile. The policy in force counts, so that one that was taken away holds no
 * run. Other runs cost no look-up; for these, each row is read by its key (`offset 0`), whatever
 * the planner thinks of the tables.
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
