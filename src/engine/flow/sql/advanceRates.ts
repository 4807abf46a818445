import { instant, int, numeric, ordinal, rowset, statement, text, uuid } from '../../db/index.ts';
import type { PolicyName } from '../gate.ts';
import { advanced, conforming, nowUs } from '../gcra.ts';
import type { ScopeKey } from '../scope.ts';

/** Starts that ask for turns in one scope of a rate. */
export interface RateRequest {
  projectId: string;
  policy: PolicyName;
  app: string;
  workflow: string;
  scope: ScopeKey;
  /** The number of starts. */
  wanted: number;
  limit: number;
  perMs: number;
  /** How many may come at once. Undefined: early starts are delayed, not dropped. */
  burst: number | undefined;
}

export interface RateRow {
  ord: number;
  /** The number of admitted starts, counted from the first. */
  granted: number;
  /** The TAT before the starts, at least now; and now. Both in microseconds since the epoch. */
  baseUs: number;
  nowUs: number;
}

/**
 * Admits as many starts as conform, atomically across processes. Each scope has one request. A
 * slower former policy, or a clock that was set back, may leave a TAT beyond the burst. Such a TAT
 * counts as the maximum that the burst allows.
 */
export const advanceRates = statement<RateRow>('advanceRates').writes({
  params: {
    now: instant,
    requests: rowset({
      ord: ordinal,
      projectId: uuid,
      policy: text,
      app: text,
      workflow: text,
      key: text.of((each: RateRequest) => each.scope),
      wanted: int,
      rate: numeric.of((each: RateRequest) => each.limit),
      perMs: numeric,
      burst: numeric.orNull,
    }),
  },
  text: `
    with asked as materialized (
      select *, per_ms * 1000 / rate as interval, (burst - 1) * (per_ms * 1000 / rate) as ahead
      from $requests as a
    ),
    first as (
      select a.*, ${nowUs} as now_us,
        ${conforming({ tat: '0', now: '0', interval: 'a.interval', wanted: 'a.wanted', burst: 'a.ahead' })} as granted
      from asked a
      order by project_id, policy, app, workflow, key
    ),
    moved as (
      insert into flow_rate as f (project_id, policy, app, workflow, key, granted, arrival_us)
      select project_id, policy, app, workflow, key, granted, now_us + granted * interval from first
      on conflict (project_id, policy, app, workflow, key) do update set (granted, arrival_us) = (
        select count, ${advanced({ tat: 'tat', now: 'now_us', interval: 'interval', count: 'count' })}
        from (
          select now_us, tat, a.interval,
            ${conforming({ tat: 'tat', now: 'now_us', interval: 'a.interval', wanted: 'a.wanted', burst: 'a.ahead' })} as count
          from asked a cross join (select ${nowUs} as now_us offset 0) clock
          cross join lateral (select least(f.arrival_us, now_us + a.ahead + a.interval) as tat offset 0) known
          where (a.project_id, a.policy, a.app, a.workflow, a.key)
            = (f.project_id, f.policy, f.app, f.workflow, f.key)
        ) let_through
      )
      returning f.*
    )
    select a.ord, m.granted, (m.arrival_us - m.granted * a.interval)::float8 as base_us, ${nowUs}::float8 as now_us
    from moved m join asked a
      on (a.project_id, a.policy, a.app, a.workflow, a.key) = (m.project_id, m.policy, m.app, m.workflow, m.key)
  `,
});
