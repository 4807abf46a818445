import { tailEvents } from '../../engine/event-tail/index.ts';
import type { EventRow } from '../../engine/events/index.ts';
import { loadTailedEvent } from '../loaders/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { EventType } from './events.ts';

builder.subscriptionField('eventIngested', (t) =>
  t.field({
    type: EventType,
    description:
      'Events as they are recorded. With `after`, the id of an event, first those recorded since: one that was being ' +
      'recorded together with it may be told again.',
    args: { app: t.arg.string(), name: t.arg.string(), after: t.arg.id() },
    subscribe: (_root, { app, name, after }, { engine, projectId }) =>
      tailEvents(engine, { projectId, app: app ?? undefined, name: name ?? undefined, afterId: after ?? undefined }),
    resolve: ({ id }, _args, context) => readTailed(context, id),
  }),
);

async function readTailed(context: SchemaContext, id: string): Promise<EventRow> {
  const { row, data } = await loadTailedEvent(context.engine, context.projectId, id);
  context.loaders.event.prime(id, row);
  context.loaders.eventData.prime(id, data);
  return row;
}
