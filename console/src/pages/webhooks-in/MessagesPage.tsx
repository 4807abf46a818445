import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHead } from '../../design/index.ts';
import { useTitle } from '../../router/useTitle.ts';
import { InTabs } from '../webhooks/PageTabs.tsx';
import { inboundFilters } from './inboundSearch.ts';
import { MessageList } from './MessageList.tsx';

const route = getRouteApi('/p/$project/webhooks/inbound');

/** Messages of all sources. */
export default function MessagesPage(): ReactNode {
  useTitle('Inbound webhooks');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHead title="Webhooks in" below="Messages that came, verified or not." />
      <InTabs open="inbound" />
      <MessageList search={search} labels={inboundFilters} onChange={(next) => void navigate({ search: next })} />
    </>
  );
}
