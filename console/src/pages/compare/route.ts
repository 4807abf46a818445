import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readCompareSearch } from './compareSearch.ts';

export const compareRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'runs/compare',
  validateSearch: readCompareSearch,
  component: page(() => import('./ComparePage.tsx')),
});
