import { statement } from '../../db/index.ts';
import { eventColumns, type StoredEventRow } from '../reads/eventRow.ts';

/** Events of a project by id, in no order. */
export const selectEventRows = statement<{ projectId: string; ids: readonly string[] }, StoredEventRow>({
  name: 'selectEventRows',
  writes: false,
  text: `select ${eventColumns} from event where id = any($1::uuid[]) and project_id = $2`,
  values: ({ projectId, ids }) => [ids, projectId],
});
