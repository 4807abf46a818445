import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readOverviewSearch } from './overviewSearch.ts';

export const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  validateSearch: readOverviewSearch,
  component: page(() => import('./OverviewPage.tsx')),
});
