import { type ReactNode, useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { PageHead } from '../../design/index.ts';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { SigningSecret } from '../webhooks/SigningSecret.tsx';
import { EndpointForm } from './EndpointForm.tsx';
import { createInput, newEndpoint } from './endpointForm.ts';
import { createEndpointDocument, endpointsDocument } from './endpointsDocuments.ts';

/** Creates an endpoint, and shows its secret once. */
export default function NewEndpointPage(): ReactNode {
  useTitle('New webhook endpoint');
  const go = useGo();
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const create = useAct(createEndpointDocument, {
    refreshes: [endpointsDocument] as never,
    isQuiet: true,
    onDone: ({ createWebhookEndpoint }) => {
      if (createWebhookEndpoint)
        setMade({ id: createWebhookEndpoint.webhookEndpoint.id, secret: createWebhookEndpoint.secret });
    },
  });
  return (
    <>
      <PageHead above={<PageLink to={['webhooks', 'endpoints']}>Endpoints</PageLink>} title="New endpoint" />
      <EndpointForm
        initial={newEndpoint}
        isNew
        error={create.error}
        isBusy={create.isBusy || made !== undefined}
        back={['webhooks', 'endpoints']}
        onSubmit={(draft) => create.act({ input: createInput(draft) })}
      />
      {made && (
        <SigningSecret
          secret={made.secret}
          signer="service"
          onStored={() => {
            create.reset();
            go(['webhooks', 'endpoints', made.id]);
          }}
        />
      )}
    </>
  );
}
