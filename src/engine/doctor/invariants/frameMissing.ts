import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  frames: number;
  first: number | null;
  last: number | null;
}

/**
 * `seq` counts 1..n. The primary key excludes duplicates, and this check excludes gaps and an empty
 * journal.
 */
export const frameMissing = defineCheck<Row>({
  invariant: 'I16',
  name: 'frameMissing',
  text: `
    select run.id as subject, run.project_id, journal.frames, journal.first, journal.last
    from run
    cross join lateral (
      select count(*) as frames, min(seq) as first, max(seq) as last
      from run_frame
      where run_frame.run_id = run.id
    ) journal
    where run.id >= $floorId
      and (journal.frames = 0 or journal.first <> 1 or journal.last <> journal.frames)
    limit $limit`,
  describe: ({ subject, frames, first, last }) =>
    frames === 0
      ? `run ${subject} has no journal`
      : `the journal of run ${subject} has a gap: ${frames} frames, numbered ${first} to ${last}`,
});
