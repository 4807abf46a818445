import { statement } from '../../db/index.ts';
import { type ApprovalRow, approvalColumns } from '../reads/approvalRow.ts';

interface Params {
  projectId: string;
  runIds: readonly string[];
  /** Approvals of each run, at most. */
  limit: number;
}

/** Approvals of runs, newest first and bounded per run. Rides the unique index on the run and its step. */
export const selectRunApprovals = statement<Params, ApprovalRow>({
  name: 'selectRunApprovals',
  writes: false,
  text: `
    select ${approvalColumns}
    from unnest($1::uuid[]) as wanted (run_id)
    join run r on r.id = wanted.run_id and r.project_id = $2
    cross join lateral (
      select * from approval where approval.run_id = wanted.run_id order by step_index desc limit $3
    ) a
    order by a.run_id, a.step_index desc
  `,
  values: ({ projectId, runIds, limit }) => [runIds, projectId, limit],
});
