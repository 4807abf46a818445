import { statement, uuid } from '../../db/index.ts';

export interface EventPosition {
  /** The transactions that are over now. */
  current: string;
  /** The transaction that recorded the event. Null where nobody knows. */
  xid: number | null;
  /** The transactions that were over when the event was recorded. Null where nobody knows. */
  snapshot: string | null;
}

/**
 * Where an event stands among the transactions, and the log as it is now. One row, whether there is
 * such an event or not.
 */
export const findEventPosition = statement<EventPosition>('findEventPosition').reads({
  params: { projectId: uuid, id: uuid },
  text: `
    select pg_current_snapshot()::text as current, event.xid, event.snapshot
    from (values ($projectId, $id)) as wanted (project_id, id)
    left join event using (project_id, id)`,
});
