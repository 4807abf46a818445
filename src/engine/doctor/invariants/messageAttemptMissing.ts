import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  attempts: number;
  last: number;
}

/** The attempts of an inbound delivery are numbered from 1 without gaps. The first admitted it. */
export const messageAttemptMissing = defineCheck<Row>({
  invariant: 'I15',
  name: 'messageAttemptMissing',
  text: `
    select m.id as subject, m.project_id, a.attempts, a.last
    from webhook_source_delivery m
    cross join lateral (
      select count(*)::int as attempts, coalesce(max(attempt), 0) as last from webhook_source_attempt
      where delivery_id = m.id
    ) a
    where m.id >= $floorId and (a.attempts = 0 or a.last <> a.attempts)
    limit $limit`,
  describe: ({ subject, attempts, last }) =>
    `inbound delivery ${subject} has ${attempts} attempts, up to number ${last}`,
});
