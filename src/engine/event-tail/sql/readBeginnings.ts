import { type ReadQuery, statement, uuid } from '../../db/index.ts';

/**
 * The last number of each project, and its events without a number, at one moment. Repeated
 * projects return one row.
 */
export const readBeginnings = statement<{ projectId: string; seq: number; pending: string[] }>('readBeginnings').reads({
  params: { projectIds: uuid.list },
  text: `
    select asked.project_id, coalesce(event_head.seq, 0) as seq, coalesce(waiting.pending, '{}') as pending
    from (select distinct unnest($projectIds) as project_id) asked
    left join event_head on event_head.project_id = asked.project_id
    left join (
      select project_id, array_agg(event_id) as pending
      from (select project_id, event_id from event_pending order by event_id offset 0) listed
      group by project_id
    ) waiting on waiting.project_id = asked.project_id`,
});

/** The number of an event of the project; no row if it has none. */
export const findEventSeq = statement<{ seq: number }>('findEventSeq').reads({
  params: { projectId: uuid, id: uuid },
  text: `select seq from event_seq where event_id = $id and project_id = $projectId`,
});

/**
 * The number of the project's newest numbered event up to an id. If no such event exists, the
 * result is the number before the project's first. Returns one row. The plan must know the values
 * (`plannedRead`): a plan for all values reads the events of all projects. `offset 0` forces one
 * look-up per event: the planner would join all numbers with all ids.
 */
export const olderEventSeq = ({ projectId, id }: { projectId: string; id: string }): ReadQuery => ({
  text: `
    select coalesce(
      (select numbered.seq
       from event
       cross join lateral (select seq from event_seq where event_seq.event_id = event.id offset 0) numbered
       where event.project_id = $1::uuid and event.id <= $2::uuid
       order by event.id desc limit 1),
      (select min(seq) - 1 from event_seq where project_id = $1::uuid),
      0) as seq`,
  values: [projectId, id],
});
