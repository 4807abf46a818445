import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  status: string | null;
  state: string;
}

/** The end of a run deletes its queue row in the same transaction. */
export const workOfEndedRun = defineCheck<Row>({
  invariant: 'I3',
  name: 'workOfEndedRun',
  text: `
    select run_work.run_id as subject, run_work.project_id, run.status, run_work.state
    from run_work
    left join run on run.id = run_work.run_id
    where run.id is null or run.status in ('succeeded', 'failed', 'cancelled')
    limit $limit`,
  describe: ({ subject, status, state }) =>
    status === null
      ? `run ${subject} is in the queue (${state}), but does not exist`
      : `run ${subject} has ended (${status}), but is still in the queue (${state})`,
});
