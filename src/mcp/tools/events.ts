import { getEvent, listEvents } from '../../rest/index.ts';
import { listTool } from '../catalog/listTool.ts';
import { placeOf, placesIn } from '../catalog/places.ts';
import { oneTool } from '../catalog/routeTool.ts';
import type { Tool } from '../declare/tool.ts';

const annotations = { readOnlyHint: true } as const;

export const eventReads: readonly Tool[] = [
  listTool({
    name: 'list_events',
    toolset: 'events',
    route: listEvents,
    member: 'events',
    title: 'List events',
    description: 'Events, newest first, with what each one started and woke.',
    annotations,
    placeOf: (path, { id }) => placeOf('eventId', id, path),
  }),
  oneTool({
    name: 'get_event',
    toolset: 'events',
    route: getEvent,
    title: 'Get an event',
    description: 'One event with its data, the runs that it started and those that it woke.',
    annotations,
    about: () => 'One event.',
    placeOf: placesIn('eventId'),
  }),
];
