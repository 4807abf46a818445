import { nowUs } from '../gcra.ts';
import { refilledAt, tokenPolicy } from '../tokenBucket.ts';

/**
 * SQL: until when a row of `run_work` that comes due is held back all the same, because it has never been executed and its
 * bucket (`tokenThrottle`) has been drained further meanwhile; null when it may go. By the policy in force, so that one that was
 * taken away holds nobody. `instant` is the statement's parameter for the clock. Nothing is looked up for other runs.
 */
export const heldUntil = (work: string, instant: string): string => `
  case when ${work}.token_key is not null and ${work}.claim_no = 0 then (
    select ${refilledAt({
      tat: 'f.arrival_us',
      now: nowUs(instant),
      perMs: `(definition.flow_control -> '${tokenPolicy}' ->> 'perMs')`,
    })}
    from lane
    join workflow definition on (definition.project_id, definition.app, definition.name) = (lane.project_id, lane.app, lane.workflow)
    join flow_rate f on (f.project_id, f.policy, f.app, f.workflow, f.key)
      = (lane.project_id, '${tokenPolicy}', lane.app, lane.workflow, ${work}.token_key)
    where lane.id = ${work}.lane_id
  ) end`;
