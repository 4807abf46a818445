import { createRoute, createRouter, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { NoProject, NotFound } from './frame/NotFound.tsx';
import { PageFailure } from './frame/PageFailure.tsx';
import { aiRoute } from './pages/ai/route.ts';
import { approvalRoute, approvalsRoute } from './pages/approvals/route.ts';
import { auditRoute } from './pages/audit/route.ts';
import { compareRoute } from './pages/compare/route.ts';
import { eventRoute, eventsRoute, sendEventRoute } from './pages/events/route.ts';
import { flowRoute } from './pages/flow/route.ts';
import { kitchenSinkRoute } from './pages/kitchen-sink/route.ts';
import { operatedProjectRoute, projectsRoute } from './pages/operator/route.ts';
import { overviewRoute } from './pages/overview/route.ts';
import { runRoute } from './pages/run/route.ts';
import { runnersRoute } from './pages/runners/route.ts';
import { runsRoute } from './pages/runs/route.ts';
import { sessionRoute, sessionsRoute } from './pages/sessions/route.ts';
import { settingsRoute } from './pages/settings/route.ts';
import { webhooksInRoutes } from './pages/webhooks-in/route.ts';
import { webhooksOutRoutes } from './pages/webhooks-out/route.ts';
import { triggerRoute, workflowRoute, workflowsRoute } from './pages/workflows/route.ts';
import { pathIn } from './router/PageLink.tsx';
import { projectRoute } from './router/projectRoute.tsx';
import { rootRoute } from './router/rootRoute.tsx';
import { parseSearch, stringifySearch } from './router/searchText.ts';
import { useSession } from './session/session.ts';

const unknownPageRoute = createRoute({ getParentRoute: () => projectRoute, path: '$', component: NotFound });

/** `/runs/<id>`, from a log or the CLI: leads to the project of the key. */
const shortRoute = createRoute({ getParentRoute: () => rootRoute, path: '$', component: ToProject });

function ToProject(): ReactNode {
  const { _splat: rest } = shortRoute.useParams();
  const search = shortRoute.useSearch();
  const { viewer } = useSession();
  if (!viewer?.project) return <NoProject />;
  const parts = (rest ?? '').split('/').filter(Boolean);
  return <Navigate to={pathIn(viewer.project.name, parts)} search={search} replace />;
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    // The pages of a project. A new page is added here, and in `frame/navigation.ts`.
    projectRoute.addChildren([
      overviewRoute,
      eventsRoute,
      sendEventRoute,
      eventRoute,
      approvalsRoute,
      approvalRoute,
      ...webhooksOutRoutes,
      ...webhooksInRoutes,
      auditRoute,
      runsRoute,
      compareRoute,
      runRoute,
      runnersRoute,
      flowRoute,
      workflowsRoute,
      workflowRoute,
      triggerRoute,
      aiRoute,
      sessionsRoute,
      sessionRoute,
      settingsRoute,
      unknownPageRoute,
    ]),
    projectsRoute,
    operatedProjectRoute,
    kitchenSinkRoute,
    shortRoute,
  ]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFailure,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
