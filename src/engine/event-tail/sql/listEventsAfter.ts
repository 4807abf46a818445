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

/** The events of each project after a number, in order. */
export const listEventsAfter = statement<IngestedEvent>('listEventsAfter').reads({
  params: {
    watched: rowset({ projectId: uuid, seq: bigint }),
    /** Per project. */
    limit: bigint,
  },
  text: `
    select news.project_id, news.seq, event.id, event.app, event.name
    from $watched as watched
    cross join lateral (
      select project_id, seq, event_id from event_seq
      where event_seq.project_id = watched.project_id and event_seq.seq > watched.seq
      order by event_seq.seq
      limit $limit
    ) news
    join event on event.id = news.event_id
    order by news.project_id, news.seq`,
});
