import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
  status: string;
  attempt: number;
}

/** A step makes no attempt after the one that settled it. */
export const stepRanAfterItsEnd = defineCheck<Row>({
  invariant: 'I4',
  name: 'stepRanAfterItsEnd',
  text: `
    select settled.run_id as subject, run.project_id, settled.name, settled.status, later.attempt
    from run_step later
    join run_step settled on settled.run_id = later.run_id and settled.index = later.index
      and settled.attempt < later.attempt
      and (settled.status in ('succeeded', 'skipped', 'cancelled', 'waiting') or not settled.will_retry)
    join run on run.id = later.run_id
    where later.run_id >= $floorId and later.attempt > 1
    limit $limit`,
  describe: ({ subject, name, status, attempt }) =>
    `step ${JSON.stringify(name)} of run ${subject} was finally ${status}, but then made attempt ${attempt}`,
});
