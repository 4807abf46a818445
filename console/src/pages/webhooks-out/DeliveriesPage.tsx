import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHead } from '../../design/index.ts';
import { useTitle } from '../../router/useTitle.ts';
import { OutTabs } from '../webhooks/PageTabs.tsx';
import { DeliveryList } from './DeliveryList.tsx';
import { deliveryFilters } from './deliveriesSearch.ts';

const route = getRouteApi('/p/$project/webhooks/deliveries');

/** Deliveries to all endpoints. */
export default function DeliveriesPage(): ReactNode {
  useTitle('Webhook deliveries');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHead title="Webhooks out" below="Messages to endpoints, and those that steps sent." />
      <OutTabs open="deliveries" />
      <DeliveryList
        search={search}
        labels={deliveryFilters}
        onChange={(next) => void navigate({ search: next })}
        hasUrls
      />
    </>
  );
}
