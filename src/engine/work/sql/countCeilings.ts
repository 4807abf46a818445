import { statement, uuid } from '../../db/index.ts';

export interface CeilingRow {
  projectId: string;
  /** 0: the project has no ceiling any more. */
  max: number;
  inUse: number;
  /** The first run that is gated at the ceiling; null if there is none. */
  firstPosition: number | null;
  firstRunId: string | null;
}

/**
 * As `countSlots`, for projects with a ceiling. Filters the executing runs of all projects, which
 * are few.
 */
export const countCeilings = statement<CeilingRow>('countCeilings').reads({
  params: { projectIds: uuid.list },
  text: `
    select p.id as project_id, p.concurrency_ceiling as max,
      (select count(*) from run_work w where w.lease_id is not null and w.project_id = p.id) as in_use,
      first.position as first_position, first.run_id as first_run_id
    from project p
    left join lateral (
      select position, run_id from run_work w
      where w.gate = 'ceiling' and w.project_id = p.id
      order by w.position, w.run_id limit 1
    ) first on true
    where p.id = any($projectIds)
  `,
});
