import { statement, uuid } from '../../../../db/index.ts';

interface Row {
  /** 0: no ceiling. */
  limit: number;
  inUse: number;
}

/**
 * A project's ceiling, and the number of its executing runs. Executing runs of all projects are
 * few, so the count scans them.
 */
export const countExecuting = statement<Row>('countExecuting').reads({
  params: { projectId: uuid },
  text: `
    select p.concurrency_ceiling as limit,
      (select count(*) from run_work w where w.lease_id is not null and w.project_id = p.id) as in_use
    from project p where p.id = $projectId
  `,
});
