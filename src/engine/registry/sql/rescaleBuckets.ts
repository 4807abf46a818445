import { statement } from '../../db/statement.ts';
import { nowUs } from '../../flow/gcra.ts';
import { tokenPolicy } from '../../flow/tokenBucket.ts';

interface Params {
  projectId: string;
  changes: readonly { app: string; name: string; tokens: number; perMs: number }[];
  now: Date;
}

/**
 * Keeps what was taken out of buckets (`tokenThrottle`) when their size or their pace changes: a bucket is known by the time that it
 * takes to fill up, which stands for other numbers of tokens then. Before the new definitions are put into force.
 */
export const rescaleBuckets = statement<Params, never>({
  name: 'rescaleBuckets',
  writes: true,
  text: `
    update flow_rate f set arrival_us = clock.now_us
      + (f.arrival_us - clock.now_us) * (changed.per_ms * former.tokens) / (former.per_ms * changed.tokens)
    from unnest($3::text[], $4::text[], $5::numeric[], $6::numeric[]) as changed(app, name, tokens, per_ms)
    cross join lateral (
      select (policy ->> 'tokens')::numeric as tokens, (policy ->> 'perMs')::numeric as per_ms
      from (
        select flow_control -> '${tokenPolicy}' as policy from workflow
        where project_id = $2::uuid and workflow.app = changed.app and workflow.name = changed.name
      ) known
    ) former
    cross join (select ${nowUs('$1')} as now_us offset 0) clock
    where f.project_id = $2::uuid and f.policy = '${tokenPolicy}' and f.app = changed.app and f.workflow = changed.name
      and f.arrival_us > clock.now_us and (former.tokens, former.per_ms) <> (changed.tokens, changed.per_ms)
  `,
  values: ({ projectId, changes, now }) => [
    now,
    projectId,
    changes.map((each) => each.app),
    changes.map((each) => each.name),
    changes.map((each) => each.tokens),
    changes.map((each) => each.perMs),
  ],
});
