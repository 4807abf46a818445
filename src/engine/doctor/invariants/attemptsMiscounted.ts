import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  counted: number;
  attempts: number;
  last: number;
}

/** The attempts of a delivery are numbered without gaps, and counted. */
export const attemptsMiscounted = defineCheck<Row>({
  invariant: 'I14',
  name: 'attemptsMiscounted',
  text: `
    select d.id as subject, d.project_id, d.attempt_count as counted, a.attempts, a.last
    from webhook_delivery d
    cross join lateral (
      select count(*)::int as attempts, coalesce(max(attempt), 0) as last from webhook_attempt where delivery_id = d.id
    ) a
    where d.id >= $floorId and (d.attempt_count <> a.attempts or a.last <> a.attempts)
    limit $limit`,
  describe: ({ subject, counted, attempts, last }) =>
    `delivery ${subject} counts ${counted} attempts, and its log has ${attempts}, up to number ${last}`,
});
