import { statement } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

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
export const selectEventData = statement<EventDataParams, EventData>({
  name: 'selectEventData',
  writes: false,
  text: `select id, bytes, upto <= $3 as "isRead", case when upto <= $3 then data end as data
         from (
           select sized.*, sum(bytes) over (rows unbounded preceding) as upto
           from (
             select id, data, coalesce(octet_length(data::text), 0) as bytes
             from event where id = any($1::uuid[]) and project_id = $2
           ) sized
         ) bounded`,
  values: ({ projectId, ids, maxBytes }) => [ids, projectId, maxBytes],
});
