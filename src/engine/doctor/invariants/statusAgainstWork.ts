import { defineCheck, type FoundRow } from '../check.ts';

interface Row extends FoundRow {
  status: string;
  state: string;
}

/** What people read of a run agrees with what the queue does with it. */
export const statusAgainstWork = defineCheck<Row>({
  invariant: 'I3',
  name: 'statusAgainstWork',
  text: `
    select run.id as subject, run.project_id, run.status, run_work.state
    from run_work
    join run on run.id = run_work.run_id
    where run.status in ('queued', 'running', 'waiting', 'paused', 'needs_attention')
      and not case run_work.state
        when 'leased' then run.status = 'running'
        when 'ready' then run.status in ('queued', 'running')
        when 'gated' then run.status = 'queued'
        when 'parked' then run.status in ('waiting', 'needs_attention')
        when 'stranded' then run.status = 'waiting'
        when 'paused' then run.status = 'paused'
      end
    limit $1`,
  describe: ({ subject, status, state }) => `run ${subject} reads as ${status} while its work is ${state}`,
});
