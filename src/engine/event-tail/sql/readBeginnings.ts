import { statement, uuid } from '../../db/index.ts';

/**
 * The last number of each project, and its events without a number, at one moment. Repeated
 * projects return one row.
 */
export const readBeginnings = statement<{ projectId: string; seq: number; pending: string[] }>('readBeginnings').reads({
  params: { projectIds: uuid.list },
  text: `
    select asked.project_id, coalesce(event_head.seq, 0) as seq,
      coalesce(array_agg(event_pending.event_id) filter (where event_pending.event_id is not null), '{}') as pending
    from (select distinct unnest($projectIds) as project_id) asked
    left join event_head on event_head.project_id = asked.project_id
    left join event_pending on event_pending.project_id = asked.project_id
    group by asked.project_id, event_head.seq`,
});

/**
 * The number of an event. An event without a number counts like the event with the next older id.
 * If no older event exists, the result is the number before the project's first. Returns one row.
 * `offset 0` forces one look-up per event: the planner would join all numbers with all ids.
 */
export const findEventSeq = statement<{ seq: number }>('findEventSeq').reads({
  params: { projectId: uuid, id: uuid },
  text: `
    select coalesce(
      (select numbered.seq
       from event
       cross join lateral (select seq from event_seq where event_seq.event_id = event.id offset 0) numbered
       where event.project_id = $projectId and event.id <= $id
       order by event.id desc limit 1),
      (select min(seq) - 1 from event_seq where project_id = $projectId),
      0) as seq`,
});
