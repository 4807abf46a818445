import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readInboundSearch, readSourceSearch } from './inboundSearch.ts';

const getParentRoute = (): typeof projectRoute => projectRoute;

const sourcesRoute = createRoute({
  getParentRoute,
  path: 'webhooks/sources',
  component: page(() => import('./SourcesPage.tsx')),
});

const newSourceRoute = createRoute({
  getParentRoute,
  path: 'webhooks/sources/new',
  component: page(() => import('./NewSourcePage.tsx')),
});

const sourceRoute = createRoute({
  getParentRoute,
  path: 'webhooks/sources/$id',
  validateSearch: readSourceSearch,
  component: page(() => import('./SourcePage.tsx')),
});

const editSourceRoute = createRoute({
  getParentRoute,
  path: 'webhooks/sources/$id/edit',
  component: page(() => import('./EditSourcePage.tsx')),
});

const messagesRoute = createRoute({
  getParentRoute,
  path: 'webhooks/inbound',
  validateSearch: readInboundSearch,
  component: page(() => import('./MessagesPage.tsx')),
});

const messageRoute = createRoute({
  getParentRoute,
  path: 'webhooks/inbound/$id',
  component: page(() => import('./MessagePage.tsx')),
});

/** The pages of webhooks that the service receives. */
export const webhooksInRoutes = [
  sourcesRoute,
  newSourceRoute,
  sourceRoute,
  editSourceRoute,
  messagesRoute,
  messageRoute,
] as const;
