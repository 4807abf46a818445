import { instant, numeric, ordinal, rowset, statement, text, uuid } from '../../../../db/index.ts';
import type { ScopeKey } from '../../../index.ts';
import { nowUs } from '../../../index.ts';
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
  /** The time at which the bucket holds tokens again. */
  refilledAt: Date;
}

/** The drained buckets, by index. */
export const findDrained = statement<Row>('findDrained').reads({
  params: {
    now: instant,
    buckets: rowset({
      ord: ordinal,
      projectId: uuid,
      app: text,
      workflow: text,
      key: text.of((each: BucketRef) => each.scope),
      perMs: numeric,
    }),
  },
  text: `
    select ord, refilled_at
    from $buckets as b
    cross join lateral (
      select ${refilledAt({ tat: 'f.arrival_us', now: nowUs, perMs: 'b.per_ms' })} as refilled_at
      from flow_rate f
      where (f.project_id, f.policy, f.app, f.workflow, f.key) = (b.project_id, '${tokenPolicy}', b.app, b.workflow, b.key)
    ) bucket
    where refilled_at is not null
  `,
});
