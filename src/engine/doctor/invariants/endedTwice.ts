import { defineCheck, type FoundRow, statusOfFrame } from './check.ts';

interface Row extends FoundRow {
  times: number;
}

export const endedTwice = defineCheck<Row>({
  invariant: 'I7',
  name: 'endedTwice',
  text: `
    select run.id as subject, run.project_id, ended.times
    from (
      select run_id, count(*) as times
      from run_frame
      where run_id >= $floorId and kind = 'run_status'
        and (${statusOfFrame}) in ('succeeded', 'failed', 'cancelled')
      group by run_id
      having count(*) > 1
    ) ended
    left join run on run.id = ended.run_id
    limit $limit`,
  describe: ({ subject, times }) => `run ${subject} ended ${times} times`,
});
