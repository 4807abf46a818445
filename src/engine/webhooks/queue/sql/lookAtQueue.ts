import { bool, float8, instant, statement, uuid } from '../../../db/index.ts';

interface Row {
  isDue: boolean;
  /** The ms until another delivery is due; null if none is. */
  nextInMs: number | null;
  /** Whether another sender holds leases. */
  hasOthers: boolean;
  /** Projects with an enabled endpoint, if wanted. */
  projectIds: string[];
  /** Enabled endpoints that have failed for longer than the limit, as `project/endpoint`. */
  failing: string[];
}

/** More projects than this are not listed. */
export const maxListed = 10_000;

/** All that a sender asks before it claims, in one read. Each part is a look at an index. */
export const lookAtQueue = statement<Row>('lookAtQueue').reads({
  params: { now: instant, senderId: uuid, listsProjects: bool, disableAfterMs: float8 },
  text: `
    select
      exists (select from webhook_work where lease_id is null and due_at <= $now) as is_due,
      (extract(epoch from (
        select min(due_at) from webhook_work where lease_id is null and due_at > $now
      ) - $now) * 1000)::float8 as next_in_ms,
      exists (select from webhook_work where lease_id is not null and lease_id <> $senderId) as has_others,
      array(
        select distinct project_id from webhook_endpoint where enabled and $listsProjects limit ${maxListed + 1}
      ) as project_ids,
      array(
        select e.project_id || '/' || e.id
        from webhook_endpoint e
        join webhook_lane l on l.id = e.id
        where $listsProjects and e.enabled
          and l.failures > 0 and l.failing_since <= $now - $disableAfterMs * interval '1 ms'
        limit 100
      ) as failing
  `,
});
