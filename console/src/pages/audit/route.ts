import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readAuditSearch } from './auditSearch.ts';

export const auditRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'audit',
  validateSearch: readAuditSearch,
  component: page(() => import('./AuditPage.tsx')),
});
