import { bigint, statement, uuid } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';
import { eventColumns, type StoredEventRow } from '../reads/eventRow.ts';

/** Event payloads of a project by id, unordered. */
export const selectEventRows = statement<StoredEventRow>('selectEventRows').reads({
  params: { ids: uuid.list, projectId: uuid },
  text: `select ${eventColumns} from event where id = any($ids) and project_id = $projectId`,
});

export interface EventDataParams {
  projectId: string;
  ids: readonly string[];
  /** The maximum number of bytes to read. */
  maxBytes: number;
}

export interface EventData extends Sized {
  id: string;
  data: string | null;
}

/** The payloads of events, as JSON text; null if an event has none. */
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
