import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
  sleptMs: number;
  askedMs: number;
}

/** A sleep lasts at least as long as requested. Times are kept to the millisecond. */
export const timerEarly = defineCheck<Row>({
  invariant: 'I8',
  name: 'timerEarly',
  text: `
    select slept.run_id as subject, run.project_id, slept.name, slept.slept_ms, slept.asked_ms
    from (
      select run_id, name, (extract(epoch from ended_at - started_at) * 1000)::float8 as slept_ms,
        (input ->> 'sleepMs')::float8 as asked_ms
      from run_step
      where run_id >= $floorId and op = 'Sleep' and status = 'succeeded'
    ) slept
    join run on run.id = slept.run_id
    where slept.slept_ms < slept.asked_ms - 2
    limit $limit`,
  describe: ({ subject, name, sleptMs, askedMs }) =>
    `step ${JSON.stringify(name)} of run ${subject} slept ${Math.round(sleptMs)} ms instead of ${askedMs}`,
});
