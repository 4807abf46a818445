import { statement } from '../../db/statement.ts';

export interface EventsAfter {
  projectId: string;
  after: string;
  app: string | null;
  name: string | null;
  limit: number;
}

export const listEventsAfter = statement<EventsAfter, { id: string; app: string; name: string }>({
  name: 'listEventsAfter',
  writes: false,
  text: `
    select id, app, name
    from event
    where project_id = $1 and id > $2
      and ($3::text is null or app = $3)
      and ($4::text is null or name = $4)
    order by id
    limit $5`,
  values: ({ projectId, after, app, name, limit }) => [projectId, after, app, name, limit],
});
