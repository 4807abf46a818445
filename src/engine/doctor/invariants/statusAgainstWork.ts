import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  status: string;
  state: string;
  reason: string | null;
}

/**
 * The status of a run matches its state in the queue. `pausedBy` is set while the run is, or will
 * be, paused.
 */
export const statusAgainstWork = defineCheck<Row>({
  invariant: 'I3',
  name: 'statusAgainstWork',
  text: `
    select run.id as subject, run.project_id, run.status, run.paused_reason as reason,
      case when run_work.pausing then run_work.state || ' and pausing' else run_work.state end as state
    from run_work
    join run on run.id = run_work.run_id
    where run.status in ('queued', 'running', 'waiting', 'paused', 'needs_attention')
      and not (case run_work.state
        when 'leased' then run.status = 'running'
        when 'ready' then run.status in ('queued', 'running')
        when 'gated' then run.status = 'queued'
        when 'parked' then run.status in ('waiting', 'needs_attention')
          or run.status = 'queued' and run.start_at is not null and run.started_at is null
        when 'stranded' then run.status = 'waiting'
        when 'paused' then run.status = 'paused'
      end
      and (run.paused_reason is not null) = (run_work.pausing or run_work.state = 'paused')
      and (run_work.state = 'leased' or not run_work.pausing))
    limit $limit`,
  describe: ({ subject, status, state, reason }) =>
    `run ${subject} is ${status}${reason === null ? '' : ` (pausedBy ${reason})`} but its queue state is ${state}`,
});
