import { bigint, statement } from '../../../../db/index.ts';

/** Projects with runs that wait for the ceiling. Hops along `run_work_ceiling_idx`. */
export const gatedProjects = statement<{ projectId: string }>('gatedProjects').reads({
  params: { limit: bigint },
  text: `
    with recursive hop as (
      (select project_id from run_work where gate = 'ceiling' order by project_id limit 1)
      union all
      select (select w.project_id from run_work w where w.gate = 'ceiling' and w.project_id > hop.project_id
              order by w.project_id limit 1)
      from hop where hop.project_id is not null
    )
    select project_id from hop where project_id is not null limit $limit
  `,
});
