import { statement } from '../../db/index.ts';
import { nowUs } from '../../flow/index.ts';
import { type PaceChange, paceColumns, rescaled } from './pace.ts';

export interface RateChange extends PaceChange {
  policy: 'throttle' | 'rateLimit' | 'tokenThrottle';
  app: string;
  name: string;
}

/**
 * Keeps how many turns were given out, or tokens taken, when the pace of a policy changes: a scope is known by a time, which stands
 * for other numbers then. Rows are locked in the order in which all lock them.
 */
export const rescaleRates = statement<{ projectId: string; changes: readonly RateChange[]; now: Date }, never>({
  name: 'rescaleRates',
  writes: true,
  text: `
    with clock as materialized (select ${nowUs('$1')} as now_us),
    locked as materialized (
      select f.policy, f.app, f.workflow, f.key, c.former_count, c.former_per_ms, c.count, c.per_ms
      from unnest($3::text[], $4::text[], $5::text[], $6::numeric[], $7::numeric[], $8::numeric[], $9::numeric[])
        as c(policy, app, name, former_count, former_per_ms, count, per_ms)
      join flow_rate f on f.project_id = $2::uuid and f.policy = c.policy and f.app = c.app and f.workflow = c.name
      cross join clock
      where f.arrival_us > clock.now_us
      order by f.policy, f.app, f.workflow, f.key
      for update of f
    )
    update flow_rate f set arrival_us = clock.now_us + ${rescaled('greatest(0, f.arrival_us - clock.now_us)', 'l')}
    from locked l cross join clock
    where f.project_id = $2::uuid and (f.policy, f.app, f.workflow, f.key) = (l.policy, l.app, l.workflow, l.key)
  `,
  values: ({ projectId, changes, now }) => [
    now,
    projectId,
    changes.map((each) => each.policy),
    changes.map((each) => each.app),
    changes.map((each) => each.name),
    ...paceColumns(changes),
  ],
});
