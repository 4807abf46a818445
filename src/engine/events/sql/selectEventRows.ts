import { statement, uuid } from '../../db/index.ts';
import { eventColumns, type StoredEventRow } from '../reads/eventRow.ts';

/** Events of a project by id, in no order. */
export const selectEventRows = statement<StoredEventRow>('selectEventRows').reads({
  params: { ids: uuid.list, projectId: uuid },
  text: `select ${eventColumns} from event where id = any($ids) and project_id = $projectId`,
});
