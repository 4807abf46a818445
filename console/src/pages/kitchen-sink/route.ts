import { createRoute } from '@tanstack/react-router';
import { NotFound } from '../../frame/NotFound.tsx';
import { page } from '../../router/page.tsx';
import { rootRoute } from '../../router/rootRoute.tsx';

/** All parts of the design on one page; in development builds only. */
export const kitchenSinkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'kitchen-sink',
  component: import.meta.env.MODE === 'production' ? NotFound : page(() => import('./KitchenSinkPage.tsx')),
});
