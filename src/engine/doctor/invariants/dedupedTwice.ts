import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  app: string;
  dedupeId: string;
  beforeId: string;
}

/** A `dedupeId` repeated within its window adds no event to the log (4.3). */
export const dedupedTwice = defineCheck<Row>({
  invariant: 'I1',
  name: 'dedupedTwice',
  text: `
    select id as subject, project_id, app, dedupe_id, before_id
    from (
      select id, project_id, app, dedupe_id, received_at,
        lag(id) over repeats as before_id, lag(received_at) over repeats as before_at
      from event
      where id >= $floorId and dedupe_id is not null
      window repeats as (partition by project_id, app, dedupe_id order by received_at, id)
    ) repeated
    where received_at - before_at < $dedupeWindowMs * interval '1 ms' - interval '1 second'
    limit $limit`,
  describe: ({ subject, beforeId, app, dedupeId }) =>
    `events ${beforeId} and ${subject} of app ${app} share the dedupeId ${JSON.stringify(dedupeId)} within its window`,
});
