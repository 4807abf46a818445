import { numeric, ordinal, rowset, statement, text, timestamptz, uuid } from '../../../../db/index.ts';
import type { WorkflowRef } from '../../../index.ts';

/** A period of a workflow's spend: after `from`, up to and including `to`, or until now. */
export interface SpendRange extends WorkflowRef {
  from: Date;
  to: Date | undefined;
  /** The length of its chunks, counted from 1970; undefined for a single sum. */
  chunkMs: number | undefined;
}

interface Row {
  ord: number;
  /** The index of the chunk, counted from 1970; null without chunks. */
  chunk: number | null;
  tokens: number;
  cost: number | null;
}

/**
 * Sums the spend of workflows, with costs as decimals. Workflow and time are compared as rows, so
 * that only one index fits. Otherwise the planner uses the index of the project's times. That reads
 * the spend of all workflows once for each workflow.
 */
export const sumSpend = statement<Row>('sumSpend').reads({
  params: {
    ranges: rowset({
      ord: ordinal,
      projectId: uuid,
      app: text,
      workflow: text,
      since: timestamptz.of((each: SpendRange) => each.from),
      until: timestamptz.orNull.of((each: SpendRange) => each.to),
      chunkMs: numeric.orNull,
    }),
  },
  text: `
    select r.ord, s.chunk, s.tokens, s.cost
    from $ranges as r
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
});
