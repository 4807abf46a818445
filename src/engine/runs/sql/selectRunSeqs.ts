import { statement, uuid } from '../../db/index.ts';

/** The number of the last frame of each run; 0 before the first one. Rides the primary keys. */
export const selectRunSeqs = statement<{ id: string; seq: number }>('selectRunSeqs').reads({
  params: { projectId: uuid, ids: uuid.list },
  text: `
    select r.id, coalesce(w.seq, last.seq, 0)::int as seq
    from run r
    left join run_work w on w.run_id = r.id
    left join lateral (
      select f.seq from run_frame f where f.run_id = r.id order by f.seq desc limit 1
    ) last on w.run_id is null
    where r.id = any($ids) and r.project_id = $projectId`,
});
