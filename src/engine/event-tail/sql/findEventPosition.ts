import { statement } from '../../db/index.ts';

export interface EventPosition {
  /** The transactions that are over now. */
  current: string;
  /** The transaction that recorded the event. Null where nobody knows. */
  xid: number | null;
  /** The transactions that were over when the event was recorded. Null where nobody knows. */
  snapshot: string | null;
}

/** Where an event stands among the transactions, and the log as it is now. One row, whether there is such an event or not. */
export const findEventPosition = statement<{ projectId: string; id: string }, EventPosition>({
  name: 'findEventPosition',
  writes: false,
  text: `
    select pg_current_snapshot()::text as current, event.xid, event.snapshot
    from (values ($1::uuid, $2::uuid)) as wanted (project_id, id)
    left join event using (project_id, id)`,
  values: ({ projectId, id }) => [projectId, id],
});
