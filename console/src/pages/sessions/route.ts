import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readSessionSearch, readSessionsSearch } from './sessionsSearch.ts';

export const sessionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'sessions',
  validateSearch: readSessionsSearch,
  component: page(() => import('./SessionsPage.tsx')),
});

export const sessionRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'sessions/$id',
  validateSearch: readSessionSearch,
  component: page(() => import('./SessionPage.tsx')),
});
