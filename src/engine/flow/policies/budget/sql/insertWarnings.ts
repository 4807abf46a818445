import { bigint, instant, json, rowset, statement, text, uuid } from '../../../../db/index.ts';
import { warningPayloadSql } from '../../../../timeline/index.ts';
import type { WorkflowRef } from '../../../index.ts';

export interface Warning extends WorkflowRef {
  message: string;
  /** JSON text. */
  fields: string;
}

export interface WarnedRow {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
}

/**
 * Writes a line into the journals of a workflow's executing runs, newest first, up to `limit` per
 * workflow. The service writes the line, not a handler, so it is never deduplicated.
 */
export const insertWarnings = statement<WarnedRow>('insertWarnings').writes({
  params: {
    now: instant,
    limit: bigint,
    warnings: rowset({ projectId: uuid, app: text, workflow: text, message: text, fields: json }),
  },
  text: `
    with warning as (
      select * from $warnings as w
    ),
    picked as materialized (
      select executing.run_id
      from warning cross join lateral (
        select run_work.run_id from run_work
        where run_work.lease_id is not null and run_work.lane_id in (
          select id from lane
          where lane.project_id = warning.project_id and lane.app = warning.app and lane.workflow = warning.workflow)
        order by run_work.run_id desc limit $limit
      ) executing
    ),
    locked as materialized (
      select run_id from run_work where run_id = any(array(select run_id from picked)) order by run_id for update
    ),
    work as (
      update run_work w set seq = w.seq + 1 where w.run_id = any(array(select run_id from locked)) returning w.run_id, w.seq
    ),
    told as (
      select work.run_id, work.seq, run.project_id, run.app, run.workflow, run.attempt
      from work join run on run.id = work.run_id
    ),
    framed as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select told.run_id, told.seq, 'log', $clock,
        ${warningPayloadSql('warning.message', 'warning.fields', 'told.attempt')}
      from told join warning
        on (warning.project_id, warning.app, warning.workflow) = (told.project_id, told.app, told.workflow)
    )
    select run_id, project_id, app, workflow from told
  `,
});
