import { statement } from '../../db/index.ts';

interface Row {
  /** 0: no ceiling. */
  limit: number;
  in_use: number;
}

/** A project's ceiling, and how many of its runs execute; looked for among all that executes anywhere, which is little. */
export const countExecuting = statement<{ projectId: string }, Row>({
  name: 'countExecuting',
  writes: false,
  text: `
    select p.concurrency_ceiling as limit,
      (select count(*) from run_work w where w.lease_id is not null and w.project_id = p.id) as in_use
    from project p where p.id = $1
  `,
  values: ({ projectId }) => [projectId],
});
