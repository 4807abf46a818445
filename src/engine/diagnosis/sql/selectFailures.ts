import { statement, uuid } from '../../db/index.ts';

/** A failed run with its last failed step. */
export interface FailureRow {
  runId: string;
  /** JSON text. */
  error: string | null;
  maxAttempts: number | null;
  /** The op of the step that settled last, and the status of the approval that it asked for. */
  lastOp: string | null;
  lastApprovalId: string | null;
  lastApproval: string | null;
  /** Steps that failed for good, the last one first. JSON text of their errors. */
  names: string[] | null;
  indexes: number[] | null;
  attempts: number[] | null;
  ops: string[] | null;
  errors: string[] | null;
  startedAt: Date[] | null;
  endedAt: Date[] | null;
  children: (string | null)[] | null;
  approvals: (string | null)[] | null;
}

/** Failed steps that are compared with the error of the run. */
const maxSteps = 20;

/** Failed runs of a project, with their errors and failed steps. Reads all steps of each run. */
export const selectFailures = statement<FailureRow>('selectFailures').reads({
  params: { projectId: uuid, runIds: uuid.list },
  text: `
    select r.id as run_id, r.error::text as error, d.max_attempts, last.op as last_op, last.approval_id as last_approval_id,
      last.approval as last_approval, failed.*
    from run r
    left join lateral (
      select max_attempts from workflow where project_id = $projectId and app = r.app and name = r.workflow offset 0
    ) d on true
    left join lateral (
      select s.op, a.id as approval_id, a.status as approval
      from run_step s
      left join approval a on a.run_id = s.run_id and a.step_index = s.index
      where s.run_id = r.id and s.ended_at is not null and s.status <> 'cancelled'
      order by s.ended_at desc, s.index desc limit 1
    ) last on true
    cross join lateral (
      select array_agg(name order by nth) as names, array_agg(index order by nth) as indexes,
        array_agg(attempt order by nth) as attempts, array_agg(op order by nth) as ops,
        array_agg(coalesce(error::text, 'null') order by nth) as errors, array_agg(started_at order by nth) as started_at,
        array_agg(ended_at order by nth) as ended_at, array_agg(child_run_id::text order by nth) as children,
        array_agg(approval_id::text order by nth) as approvals
      from (
        select s.*, a.id as approval_id, row_number() over (order by s.ended_at desc, s.index desc) as nth
        from (
          select name, index, attempt, op, error, started_at, ended_at, child_run_id, run_id
          from run_step
          where run_step.run_id = r.id and status = 'failed' and not will_retry
          order by ended_at desc, index desc limit ${maxSteps}
        ) s
        left join approval a on a.run_id = s.run_id and a.step_index = s.index
      ) latest
    ) failed
    where r.id = any($runIds) and r.project_id = $projectId and r.status = 'failed'`,
});
