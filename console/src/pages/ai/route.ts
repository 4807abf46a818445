import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readAiSearch } from './aiSearch.ts';

export const aiRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'ai',
  validateSearch: readAiSearch,
  component: page(() => import('./AiPage.tsx')),
});
