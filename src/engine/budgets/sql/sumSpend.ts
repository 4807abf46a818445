import { statement } from '../../db/index.ts';
import type { WorkflowRef } from '../budget.ts';

/** A stretch of time in which a workflow spent: after `from`, up to and with `to`; undefined: until now. */
export interface SpendRange extends WorkflowRef {
  from: Date;
  to: Date | undefined;
  /** The stretches of this length, counted from 1970, in which it is added up; undefined: as a whole. */
  chunkMs: number | undefined;
}

interface Row {
  ord: number;
  /** The place of the chunk, counted from 1970; null where there are none. */
  chunk: number | null;
  tokens: number;
  cost: number | null;
}

/**
 * What workflows spent; costs are added up as decimals. Compared as rows, workflow and time can be looked up by one index only: the
 * planner, left a choice, takes that of the project's times and reads what all its workflows spent, once for each.
 */
export const sumSpend = statement<{ ranges: readonly SpendRange[] }, Row>({
  name: 'sumSpend',
  writes: false,
  text: `
    select r.ord, s.chunk, s.tokens, s.cost
    from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::numeric[])
      as r(ord, project_id, app, workflow, since, until, chunk_ms)
    cross join lateral (
      select (ceil(extract(epoch from u.created_at) * 1000 / r.chunk_ms) - 1)::float8 as chunk,
        (coalesce(sum(u.tokens_in), 0) + coalesce(sum(u.tokens_out), 0))::float8 as tokens, sum(u.cost::numeric)::float8 as cost
      from ai_usage u
      where u.project_id = r.project_id
        and (u.app, u.workflow, u.created_at) > (r.app, r.workflow, r.since)
        and (u.app, u.workflow, u.created_at) <= (r.app, r.workflow, coalesce(r.until, 'infinity'))
      group by 1
    ) s
  `,
  values: ({ ranges }) => [
    ranges.map((_, ord) => ord),
    ranges.map((each) => each.projectId),
    ranges.map((each) => each.app),
    ranges.map((each) => each.workflow),
    ranges.map((each) => each.from),
    ranges.map((each) => each.to ?? null),
    ranges.map((each) => each.chunkMs ?? null),
  ],
});
