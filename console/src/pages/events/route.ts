import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readEventsSearch, readSendSearch } from './eventsSearch.ts';

export const eventsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'events',
  validateSearch: readEventsSearch,
  component: page(() => import('./EventsPage.tsx')),
});

export const sendEventRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'events/new',
  validateSearch: readSendSearch,
  component: page(() => import('./SendEventPage.tsx')),
});

export const eventRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'events/$id',
  component: page(() => import('./EventPage.tsx')),
});
