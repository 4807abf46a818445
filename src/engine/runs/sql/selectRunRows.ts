import { statement } from '../../db/index.ts';
import { type RunRow, runColumns } from '../reads/runRow.ts';

/** Runs of a project by id, in no order. */
export const selectRunRows = statement<{ projectId: string; ids: readonly string[] }, RunRow>({
  name: 'selectRunRows',
  writes: false,
  text: `select ${runColumns('r')} from run r where r.id = any($1::uuid[]) and r.project_id = $2`,
  values: ({ projectId, ids }) => [ids, projectId],
});
