import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readApprovalsSearch } from './approvalsSearch.ts';

export const approvalsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'approvals',
  validateSearch: readApprovalsSearch,
  component: page(() => import('./ApprovalsPage.tsx')),
});

export const approvalRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'approvals/$id',
  component: page(() => import('./ApprovalPage.tsx')),
});
