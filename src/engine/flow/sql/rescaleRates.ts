import { instant, rowset, statement, text, uuid } from '../../db/index.ts';
import type { PolicyName } from '../gate.ts';
import { nowUs } from '../gcra.ts';
import { type PaceChange, paceColumns, rescaled } from './pace.ts';

export interface RateChange extends PaceChange {
  policy: PolicyName;
  app: string;
  name: string;
}

/**
 * Preserves the number of given turns, or of debited tokens, when the pace of a policy changes. A
 * rate is stored as a time, which means a different number at another pace. Rows are locked in the
 * order that all transactions use.
 */
export const rescaleRates = statement<never>('rescaleRates').writes({
  params: {
    now: instant,
    projectId: uuid,
    changes: rowset({
      policy: text,
      app: text,
      name: text,
      ...paceColumns,
    }),
  },
  text: `
    with clock as materialized (select ${nowUs} as now_us),
    locked as materialized (
      select f.policy, f.app, f.workflow, f.key, c.former_count, c.former_per_ms, c.count, c.per_ms
      from $changes as c
      join flow_rate f on f.project_id = $projectId and f.policy = c.policy and f.app = c.app and f.workflow = c.name
      cross join clock
      where f.arrival_us > clock.now_us
      order by f.policy, f.app, f.workflow, f.key
      for update of f
    )
    update flow_rate f set arrival_us = clock.now_us + ${rescaled('greatest(0, f.arrival_us - clock.now_us)', 'l')}
    from locked l cross join clock
    where f.project_id = $projectId and (f.policy, f.app, f.workflow, f.key) = (l.policy, l.app, l.workflow, l.key)
  `,
});
