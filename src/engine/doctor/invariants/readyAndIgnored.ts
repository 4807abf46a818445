import { defineCheck, type FoundRow } from './check.ts';
import { isLookedAfter } from './grace.ts';

interface Row extends FoundRow {
  app: string;
  workflow: string;
  readyMs: number;
}

/** A run at the head of its lane is claimed within this time where a runner has room for it. */
const graceMs = 10_000;

/**
 * Looks at the head of each lane: a backlog behind busy runners is no violation, so their live
 * runners must be less than half full, and a dispatcher alive. Neither the place in the queue (a
 * priority may have moved it back in time) nor the last frame alone tells since when the run is
 * ready.
 */
export const readyAndIgnored = defineCheck<Row>({
  invariant: 'I3',
  name: 'readyAndIgnored',
  text: `
    select head.run_id as subject, lane.project_id, lane.app, lane.workflow, head.ready_ms
    from lane
    cross join lateral (
      select first.run_id,
        (extract(epoch from $now - greatest(last.ts, to_timestamp(first.position / 1e6)))
          * 1000)::float8 as ready_ms
      from (
        select run_id, position
        from run_work
        where run_work.state = 'ready' and run_work.lane_id = lane.id
        order by position, run_id
        limit 1
      ) first
      cross join lateral (
        select ts from run_frame where run_frame.run_id = first.run_id order by seq desc limit 1
      ) last
    ) head
    where head.ready_ms > ${graceMs}
      and ${isLookedAfter("interval '20 seconds'")}
      and (
        select coalesce(sum(max_in_flight), 0)
        from runner
        where runner.project_id = lane.project_id and runner.app = lane.app
          and lane.workflow = any(runner.workflows)
          and (lane.runner = '' or runner.runner_id = lane.runner)
          and runner.connected
          and runner.last_seen_at > $now - interval '60 seconds'
      ) > 2 * (
        select count(*)
        from run_work busy
        join lane theirs on theirs.id = busy.lane_id
        where busy.lease_id is not null and theirs.project_id = lane.project_id and theirs.app = lane.app
      )
    limit $limit`,
  describe: ({ subject, app, workflow, readyMs }) =>
    `run ${subject} of ${app}/${workflow} has been ready for ${Math.round(readyMs / 1000)} s while live runners have room`,
});
