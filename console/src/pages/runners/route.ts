import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readRunnersSearch } from './runnersSearch.ts';

export const runnersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'runners',
  validateSearch: readRunnersSearch,
  component: page(() => import('./RunnersPage.tsx')),
});
