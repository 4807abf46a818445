import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readWorkflowSearch } from './workflowSearch.ts';
import { readWorkflowsSearch } from './workflowsSearch.ts';

export const workflowsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'workflows',
  validateSearch: readWorkflowsSearch,
  component: page(() => import('./WorkflowsPage.tsx')),
});

export const workflowRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'workflows/$app/$name',
  validateSearch: readWorkflowSearch,
  component: page(() => import('./WorkflowPage.tsx')),
});

export const triggerRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'workflows/$app/$name/trigger',
  component: page(() => import('./TriggerPage.tsx')),
});
