import { statement } from '../../db/index.ts';
import { nowUs } from '../gcra.ts';
import { level, refilledAt, tokenPolicy } from '../tokenBucket.ts';

interface Params {
  projectId: string;
  /** All of the project when undefined. */
  workflow: string | undefined;
  limit: number;
  now: Date | null;
}

interface Row {
  app: string;
  workflow: string;
  key: string;
  available: number;
  refilled_at: Date | null;
}

/**
 * Buckets of a project that are not full; where a policy has no key its one bucket, whatever is in it. Those that take longest to
 * fill up come first.
 */
export const listTokenBuckets = statement<Params, Row>({
  name: 'listTokenBuckets',
  writes: false,
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
    cross join (select ${nowUs('$1')} as now_us offset 0) clock
    left join flow_rate f on f.project_id = w.project_id and f.policy = '${tokenPolicy}' and f.app = w.app and f.workflow = w.name
      and f.arrival_us > clock.now_us and (policy.path is not null or f.key = '')
    where w.project_id = $2::uuid and ($3::text is null or w.name = $3) and policy.tokens is not null
      and (f.key is not null or policy.path is null)
    order by coalesce(f.arrival_us, 0) desc, w.app, w.name, key
    limit $4
  `,
  values: ({ projectId, workflow, limit, now }) => [now, projectId, workflow ?? null, limit],
});
