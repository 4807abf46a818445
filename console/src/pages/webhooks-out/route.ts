import { createRoute } from '@tanstack/react-router';
import { page } from '../../router/page.tsx';
import { projectRoute } from '../../router/projectRoute.tsx';
import { readDeliveriesSearch } from './deliveriesSearch.ts';
import { readEndpointSearch, readEndpointsSearch } from './endpointsSearch.ts';

const getParentRoute = (): typeof projectRoute => projectRoute;

const endpointsRoute = createRoute({
  getParentRoute,
  path: 'webhooks/endpoints',
  validateSearch: readEndpointsSearch,
  component: page(() => import('./EndpointsPage.tsx')),
});

const newEndpointRoute = createRoute({
  getParentRoute,
  path: 'webhooks/endpoints/new',
  component: page(() => import('./NewEndpointPage.tsx')),
});

const endpointRoute = createRoute({
  getParentRoute,
  path: 'webhooks/endpoints/$id',
  validateSearch: readEndpointSearch,
  component: page(() => import('./EndpointPage.tsx')),
});

const editEndpointRoute = createRoute({
  getParentRoute,
  path: 'webhooks/endpoints/$id/edit',
  component: page(() => import('./EditEndpointPage.tsx')),
});

const deliveriesRoute = createRoute({
  getParentRoute,
  path: 'webhooks/deliveries',
  validateSearch: readDeliveriesSearch,
  component: page(() => import('./DeliveriesPage.tsx')),
});

const deliveryRoute = createRoute({
  getParentRoute,
  path: 'webhooks/deliveries/$id',
  component: page(() => import('./DeliveryPage.tsx')),
});

/** The pages of webhooks that the service sends. */
export const webhooksOutRoutes = [
  endpointsRoute,
  newEndpointRoute,
  endpointRoute,
  editEndpointRoute,
  deliveriesRoute,
  deliveryRoute,
] as const;
