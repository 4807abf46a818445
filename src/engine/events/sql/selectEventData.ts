import { statement } from '../../db/statement.ts';

/** The payloads of events, as JSON text; null where an event came without one. */
export const selectEventData = statement<
  { projectId: string; ids: readonly string[] },
  { id: string; data: string | null }
>({
  name: 'selectEventData',
  writes: false,
  text: 'select id, data from event where id = any($1::uuid[]) and project_id = $2',
  values: ({ projectId, ids }) => [ids, projectId],
});
