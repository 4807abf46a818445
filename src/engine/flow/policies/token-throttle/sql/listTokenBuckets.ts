import { bigint, instant, statement, text, uuid } from '../../../../db/index.ts';
import { nowUs } from '../../../index.ts';
import { level, refilledAt, tokenPolicy } from '../tokenBucket.ts';

interface Row {
  app: string;
  workflow: string;
  key: string;
  available: number;
  refilledAt: Date | null;
}

/**
 * Buckets of a project that are not full, the slowest to refill first. A policy without a key
 * always shows its one bucket.
 */
export const listTokenBuckets = statement<Row>('listTokenBuckets').reads({
  params: {
    now: instant,
    projectId: uuid,
    /** Default: all workflows of the project. */
    workflow: text.orNull,
    /** Default: all apps. */
    app: text.orNull,
    limit: bigint,
  },
  text: `
    select w.app, w.name as workflow, coalesce(f.key, '') as key,
      floor(round(${level({ tat: 'coalesce(f.arrival_us, 0)', now: 'clock.now_us', perMs: 'policy.per_ms', tokens: 'policy.tokens' })}, 6))::float8
        as available,
      ${refilledAt({ tat: 'f.arrival_us', now: 'clock.now_us', perMs: 'policy.per_ms' })} as refilled_at
    from workflow w
    cross join lateral (
      select (p.policy ->> 'tokens')::numeric as tokens, (p.policy ->> 'perMs')::numeric as per_ms, p.policy ->> 'key' as path
      from (select w.flow_control -> '${tokenPolicy}' as policy) p
    ) policy
    cross join (select ${nowUs} as now_us offset 0) clock
    left join flow_rate f on f.project_id = w.project_id and f.policy = '${tokenPolicy}' and f.app = w.app and f.workflow = w.name
      and f.arrival_us > clock.now_us and (policy.path is not null or f.key = '')
    where w.project_id = $projectId and ($workflow is null or w.name = $workflow) and ($app is null or w.app = $app) and policy.tokens is not null
      and (f.key is not null or policy.path is null)
    order by coalesce(f.arrival_us, 0) desc, w.app, w.name, key
    limit $limit
  `,
});
