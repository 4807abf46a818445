import { bigint, rowset, statement, uuid } from '../../db/index.ts';

/** A recorded event with its filter fields. The full record is in the event log. */
export interface IngestedEvent {
  projectId: string;
  id: string;
  app: string;
  name: string;
  /** The event's number within its project. */
  seq: number;
}

/** The maximum number of events that one read returns per project, and that a tail holds. */
export const pageEvents = 1_000;

/**
 * The events of each project after a number, in order. With a parameter for `limit`, or with a
 * plain join, the plan for large tables would hash all events. `offset 0` keeps the look-up one
 * event at a time.
 */
export const listEventsAfter = statement<IngestedEvent>('listEventsAfter').reads({
  params: {
    watched: rowset({ projectId: uuid, seq: bigint }),
  },
  text: `
    select news.project_id, news.seq, event.id, event.app, event.name
    from $watched as watched
    cross join lateral (
      select project_id, seq, event_id from event_seq
      where event_seq.project_id = watched.project_id and event_seq.seq > watched.seq
      order by event_seq.seq
      limit ${pageEvents}
    ) news
    cross join lateral (select id, app, name from event where event.id = news.event_id offset 0) event
    order by news.project_id, news.seq`,
});
