import { bigint, statement, uuid } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';
import { eventColumns, type StoredEventRow } from '../reads/eventRow.ts';

/** Events of a project by id, in no order. */
export const selectEventRows = statement<StoredEventRow>('selectEventRows').reads({
  params: { ids: uuid.list, projectId: uuid },
  text: `select ${eventColumns} from event where id = any($ids) and project_id = $projectId`,
});

export interface EventDataParams {
  projectId: string;
  ids: readonly string[];
  /** Bytes to read at most. */
  maxBytes: number;
}

export interface EventData extends Sized {
  id: string;
  data: string | null;
}

/** The payloads of events, as JSON text; null where an event came without one. */
export const selectEventData = statement<EventData>('selectEventData').reads({
  params: { ids: uuid.list, projectId: uuid, maxBytes: bigint },
  text: `select id, bytes, upto <= $maxBytes as "isRead", case when upto <= $maxBytes then data end as data
         from (
           select sized.*, sum(bytes) over (rows unbounded preceding) as upto
           from (
             select id, data, coalesce(octet_length(data::text), 0) as bytes
             from event where id = any($ids) and project_id = $projectId
           ) sized
         ) bounded`,
});
