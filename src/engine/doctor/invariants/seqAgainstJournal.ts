import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  seq: number;
  last: number;
}

/** The frame counter equals the number of the last frame. */
export const seqAgainstJournal = defineCheck<Row>({
  invariant: 'I18',
  name: 'seqAgainstJournal',
  text: `
    select run_work.run_id as subject, run_work.project_id, run_work.seq, journal.last
    from run_work
    cross join lateral (
      select coalesce(max(seq), 0) as last from run_frame where run_frame.run_id = run_work.run_id
    ) journal
    where run_work.seq <> journal.last
    limit $limit`,
  describe: ({ subject, seq, last }) => `the frame counter of run ${subject} is ${seq}, but its last frame is ${last}`,
});
