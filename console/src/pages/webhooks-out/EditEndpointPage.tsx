import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct, useRead } from '../../data/queries.ts';
import { Empty, PageHead, ThingPage, visibleText } from '../../design/index.ts';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { EndpointForm } from './EndpointForm.tsx';
import { draftOf, updateInput } from './endpointForm.ts';
import { endpointDocument, endpointsDocument, updateEndpointDocument } from './endpointsDocuments.ts';

const route = getRouteApi('/p/$project/webhooks/endpoints/$id/edit');

/** Changes an endpoint. */
export default function EditEndpointPage(): ReactNode {
  useTitle('Edit a webhook endpoint');
  const { id } = route.useParams();
  const read = useRead(endpointDocument, { id });
  const go = useGo();
  const back = ['webhooks', 'endpoints', id];
  const update = useAct(updateEndpointDocument, {
    refreshes: [endpointDocument, endpointsDocument] as never,
    isQuiet: true,
    done: () => 'Saved',
    onDone: () => go(back),
  });
  return (
    <ThingPage
      read={read}
      thingOf={({ webhookEndpoint }) => webhookEndpoint}
      head={() => <PageHead above={<PageLink to={back}>Back to the endpoint</PageLink>} title="Edit the endpoint" />}
      missing={<Empty title={`No endpoint has the id ${visibleText(id)}`} />}
    >
      {(found) => (
        <EndpointForm
          key={found.id}
          initial={draftOf(found)}
          isNew={false}
          error={update.error}
          isBusy={update.isBusy}
          back={back}
          onSubmit={(draft) => update.act({ input: updateInput(id, draftOf(found), draft) })}
        />
      )}
    </ThingPage>
  );
}
