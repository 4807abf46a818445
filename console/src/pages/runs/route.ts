import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readRunsSearch } from './runsSearch.ts';

export const runsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'runs',
  validateSearch: readRunsSearch,
  component: page(() => import('./RunsPage.tsx')),
});
