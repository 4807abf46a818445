import { statement } from '../../db/index.ts';
import { nowUs } from '../gcra.ts';
import type { ScopeKey } from '../scope.ts';
import { refilledAt, tokenPolicy } from '../tokenBucket.ts';

export interface BucketRef {
  projectId: string;
  app: string;
  workflow: string;
  scope: ScopeKey;
  perMs: number;
}

interface Row {
  ord: number;
  /** When there is something in it again. */
  refilled_at: Date;
}

/** Which of the buckets are drained, by their places. */
export const findDrained = statement<{ buckets: readonly BucketRef[]; now: Date | null }, Row>({
  name: 'findDrained',
  writes: false,
  text: `
    select ord, refilled_at
    from unnest($2::int[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::numeric[])
      as b(ord, project_id, app, workflow, key, per_ms)
    cross join lateral (
      select ${refilledAt({ tat: 'f.arrival_us', now: nowUs('$1'), perMs: 'b.per_ms' })} as refilled_at
      from flow_rate f
      where (f.project_id, f.policy, f.app, f.workflow, f.key) = (b.project_id, '${tokenPolicy}', b.app, b.workflow, b.key)
    ) bucket
    where refilled_at is not null
  `,
  values: ({ buckets, now }) => [
    now,
    buckets.map((_, ord) => ord),
    buckets.map((each) => each.projectId),
    buckets.map((each) => each.app),
    buckets.map((each) => each.workflow),
    buckets.map((each) => each.scope),
    buckets.map((each) => each.perMs),
  ],
});
