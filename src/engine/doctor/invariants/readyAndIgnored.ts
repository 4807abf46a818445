import { defineCheck, type FoundRow } from './check.ts';
import { hasLiveDispatcher } from './grace.ts';

interface Row extends FoundRow {
  app: string;
  workflow: string;
  readyMs: number;
}

/** The time within which the first run of a lane is claimed, if a runner has a free slot. */
const graceMs = 10_000;

/**
 * Checks the first run of each lane. A backlog behind busy runners is no violation, so the lane's
 * live runners must be less than half full, and a dispatcher alive. The queue position may be
 * earlier, by priority, than the time since which the run is ready. So may the last frame. The
 * later one counts.
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
      and ${hasLiveDispatcher("interval '20 seconds'")}
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
    `run ${subject} of ${app}/${workflow} has been ready for ${Math.round(readyMs / 1000)} s, but live runners have free slots`,
});
