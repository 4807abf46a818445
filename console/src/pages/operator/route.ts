import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { rootRoute } from '../../router/rootRoute.tsx';

export const projectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'operator/projects',
  component: page(() => import('./ProjectsPage.tsx')),
});

export const operatedProjectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'operator/projects/$id',
  component: page(() => import('./ProjectPage.tsx')),
});
