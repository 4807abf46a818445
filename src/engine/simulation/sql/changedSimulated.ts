import { instant, statement, uuid } from '../../db/index.ts';

export interface ChangedRow {
  id: string;
  /** Whether a newer run of its singleton has displaced it now. Else it was created now. */
  isDisplaced: boolean;
  /** The id of its start; null for a batch. */
  eventId: string | null;
  /** The ids of the starts of a batch. */
  batchIds: string[];
  startAt: Date | null;
}

/** The runs of a simulation that were created or displaced at this instant. */
export const changedSimulated = statement<ChangedRow>('changedSimulated').reads({
  params: { projectId: uuid, now: instant },
  text: `
    select id, false as is_displaced, event_id, start_at,
      array(select e ->> 'id' from json_array_elements(events) e) as batch_ids
    from run
    where project_id = $projectId and created_at = $now::timestamptz(3) and status <> 'cancelled'
    union all
    select id, true, null, null, '{}'
    from run
    where project_id = $projectId and status = 'cancelled' and ended_at >= $now::timestamptz(3)
  `,
});
