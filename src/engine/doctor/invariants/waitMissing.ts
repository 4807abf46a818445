import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
  eventName: string | null;
}

/** A step that waits for an event has a wait that events can find. */
export const waitMissing = defineCheck<Row>({
  invariant: 'I9',
  name: 'waitMissing',
  text: `
    select run_work.run_id as subject, run_work.project_id, run_step.name, run_step.event_name
    from run_work
    join run_step on run_step.run_id = run_work.run_id
    where run_step.status = 'waiting' and run_step.op = 'WaitForEvent'
      and not exists (
        select from run_wait where run_wait.run_id = run_step.run_id and run_wait.step_index = run_step.index)
    limit $limit`,
  describe: ({ subject, name, eventName }) =>
    `step ${JSON.stringify(name)} of run ${subject} waits for ${JSON.stringify(eventName)}, but has no wait`,
});
