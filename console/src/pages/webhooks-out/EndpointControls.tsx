import { Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { WebhookEventKind } from '../../data/generated/graphql.ts';
import { useAct } from '../../data/queries.ts';
import { Button, Confirm, Select, visibleText, wordsOf } from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { useRefusal } from '../../session/rights.ts';
import { WebhookControls, WebhookOverlap } from '../webhooks/WebhookControls.tsx';
import { deliveriesDocument } from './deliveriesDocuments.ts';
import type { Endpoint } from './EndpointPage.tsx';
import { eventKinds } from './endpointForm.ts';
import {
  deleteEndpointDocument,
  endpointDocument,
  endpointsDocument,
  sendTestDocument,
  updateEndpointDocument,
} from './endpointsDocuments.ts';

const refreshes = [endpointDocument, endpointsDocument] as never;
const list = ['webhooks', 'endpoints'];

/** The controls of an endpoint: also a test. */
export function EndpointControls({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const [isTesting, setTesting] = useState(false);
  const [secret, setSecret] = useState<string | null>();
  const go = useGo();
  const write = useRefusal('write');
  const toggle = useAct(updateEndpointDocument, {
    refreshes,
    done: ({ updateWebhookEndpoint }) => (updateWebhookEndpoint?.webhookEndpoint.enabled ? 'Enabled' : 'Disabled'),
  });
  const rotate = useAct(updateEndpointDocument, {
    refreshes,
    isQuiet: true,
    onDone: ({ updateWebhookEndpoint }) => setSecret(updateWebhookEndpoint?.secret),
  });
  const remove = useAct(deleteEndpointDocument, {
    refreshes: [endpointsDocument] as never,
    isQuiet: true,
    done: () => 'Deleted',
    onDone: () => go(list),
  });
  return (
    <>
      <Button
        icon={Send}
        refusal={write ?? (endpoint.enabled ? undefined : 'the endpoint is disabled')}
        onClick={() => setTesting(true)}
      >
        Send a test
      </Button>
      <WebhookControls
        of={endpoint}
        list={list}
        signer="service"
        toggle={toggle}
        rotate={rotate}
        secret={secret}
        onStored={() => setSecret(undefined)}
        deletion={{
          title: `Delete “${visibleText(endpoint.name ?? endpoint.url)}”?`,
          description: 'Deliveries that wait for it are skipped. Its past deliveries stay until their time has passed.',
          label: 'Delete the endpoint',
          remove,
        }}
      />
      {isTesting && <TestDialog endpoint={endpoint} onClose={() => setTesting(false)} />}
    </>
  );
}

/** Shown while two secrets are valid. */
export function EndpointOverlap({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const end = useAct(updateEndpointDocument, { refreshes, done: () => 'Only the new secret is valid' });
  return <WebhookOverlap of={endpoint} end={end} />;
}

interface TestDialogProps {
  endpoint: Endpoint;
  onClose: () => void;
}

function TestDialog({ endpoint, onClose }: TestDialogProps): ReactNode {
  const [kind, setKind] = useState<WebhookEventKind>(endpoint.eventKinds[0] ?? 'RUN_SUCCEEDED');
  const go = useGo();
  const send = useAct(sendTestDocument, {
    refreshes: [deliveriesDocument] as never,
    isQuiet: true,
    onDone: ({ sendTestWebhook }) => {
      onClose();
      if (sendTestWebhook) go(['webhooks', 'deliveries', sendTestWebhook.webhookDelivery.id]);
    },
  });
  return (
    <Confirm
      title="Send a test"
      description="A sample body, signed and retried as any other, and marked as a test."
      verb="Send"
      icon={Send}
      keep="Cancel"
      kind="primary"
      act={send}
      onConfirm={() => send.act({ input: { endpointId: endpoint.id, kind } })}
      onClose={onClose}
    >
      <Select
        label="Kind"
        value={kind}
        options={eventKinds.map((each) => ({ value: each, label: wordsOf(each) }))}
        onChoose={setKind}
      />
    </Confirm>
  );
}
