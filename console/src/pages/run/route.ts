import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readRunSearch } from './runSearch.ts';

export const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'runs/$id',
  validateSearch: readRunSearch,
  component: page(() => import('./RunPage.tsx')),
});
