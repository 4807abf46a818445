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
  laneId: number | null;
}

/** The runs of a simulation that were created or displaced at this instant. */
export const changedSimulated = statement<ChangedRow>('changedSimulated').reads({
  params: { projectId: uuid, now: instant },
  text: `
    select r.id, r.status = 'cancelled' as is_displaced, r.event_id,
      array(select e ->> 'id' from json_array_elements(r.events) e) as batch_ids, r.start_at, w.lane_id
    from run r left join run_work w on w.run_id = r.id
    where r.project_id = $projectId
      and ((r.created_at = $now::timestamptz(3) and r.status <> 'cancelled')
        or (r.status = 'cancelled' and r.ended_at >= $now::timestamptz(3)))
    order by r.id
  `,
});
