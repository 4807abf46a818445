import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readFlowSearch } from './flowSearch.ts';

export const flowRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'flow',
  validateSearch: readFlowSearch,
  component: page(() => import('./FlowPage.tsx')),
});
