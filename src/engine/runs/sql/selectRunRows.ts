import { statement, uuid } from '../../db/index.ts';
import { type RunRow, runColumns } from '../reads/runRow.ts';

/** Runs of a project by id, in no order. */
export const selectRunRows = statement<RunRow>('selectRunRows').reads({
  params: { projectId: uuid, ids: uuid.list },
  text: `select ${runColumns('r')} from run r where r.id = any($ids) and r.project_id = $projectId`,
});
