import { Ellipsis, KeyRound, Pencil, Power, Send, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { WebhookEventKind } from '../../data/generated/graphql.ts';
import { useAct } from '../../data/queries.ts';
import { explain } from '../../data/requestError.ts';
import { Button, Dialog, Menu, Select, TroubleNote, visibleText, wordsOf } from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { useRefusal } from '../../session/rights.ts';
import { isOverlapping, OverlapNote, RotateDialog } from '../webhooks/RotateDialog.tsx';
import { SigningSecret } from '../webhooks/SigningSecret.tsx';
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

/** Edit, test, enable or disable, rotate, delete. */
export function EndpointControls({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const [open, setOpen] = useState<'rotate' | 'test' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const go = useGo();
  const write = useRefusal('write');
  const close = (): void => setOpen(undefined);
  const toggle = useAct(updateEndpointDocument, {
    refreshes,
    done: ({ updateWebhookEndpoint }) => (updateWebhookEndpoint?.webhookEndpoint.enabled ? 'Enabled' : 'Disabled'),
  });
  const rotate = useAct(updateEndpointDocument, {
    refreshes,
    isQuiet: true,
    onDone: ({ updateWebhookEndpoint }) => {
      close();
      setSecret(updateWebhookEndpoint?.secret ?? undefined);
    },
  });
  return (
    <>
      <Button
        icon={Send}
        refusal={write ?? (endpoint.enabled ? undefined : 'the endpoint is disabled')}
        onClick={() => setOpen('test')}
      >
        Send a test
      </Button>
      <Button icon={Pencil} refusal={write} onClick={() => go(['webhooks', 'endpoints', endpoint.id, 'edit'])}>
        Edit
      </Button>
      <Menu
        align="end"
        trigger={
          <Button icon={Ellipsis} isIconOnly>
            More
          </Button>
        }
        entries={[
          {
            label: endpoint.enabled ? 'Disable' : 'Enable',
            icon: Power,
            refusal: write,
            onSelect: () => toggle.act({ input: { id: endpoint.id, enabled: !endpoint.enabled } }),
          },
          { label: 'Rotate the secret…', icon: KeyRound, refusal: write, onSelect: () => setOpen('rotate') },
          { label: 'Delete…', icon: Trash2, isDanger: true, refusal: write, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'rotate' && (
        <RotateDialog
          id={endpoint.id}
          previousSecretUntil={endpoint.previousSecretUntil}
          act={rotate}
          onClose={() => {
            rotate.reset();
            close();
          }}
        />
      )}
      {secret && (
        <SigningSecret
          secret={secret}
          signer="service"
          onStored={() => {
            rotate.reset();
            setSecret(undefined);
          }}
        />
      )}
      {open === 'test' && <TestDialog endpoint={endpoint} onClose={close} />}
      {open === 'delete' && <DeleteDialog endpoint={endpoint} onClose={close} />}
    </>
  );
}

/** Shown while two secrets are valid. */
export function EndpointOverlap({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const write = useRefusal('write');
  const end = useAct(updateEndpointDocument, { refreshes, done: () => 'Only the new secret is valid' });
  if (!isOverlapping(endpoint.previousSecretUntil)) return null;
  return (
    <OverlapNote
      until={endpoint.previousSecretUntil}
      refusal={write}
      isBusy={end.isBusy}
      onEnd={() => end.act({ input: { id: endpoint.id, revokePrevious: true } })}
    />
  );
}

interface DialogProps {
  endpoint: Endpoint;
  onClose: () => void;
}

function TestDialog({ endpoint, onClose }: DialogProps): ReactNode {
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
    <Dialog
      isOpen
      onClose={onClose}
      title="Send a test"
      description="A sample body, signed and retried as any other, and marked as a test."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            icon={Send}
            isBusy={send.isBusy}
            onClick={() => send.act({ input: { endpointId: endpoint.id, kind } })}
          >
            Send
          </Button>
        </>
      }
    >
      {send.error && <TroubleNote trouble={explain(send.error)} isNarrow />}
      <Select
        label="Kind"
        value={kind}
        options={eventKinds.map((each) => ({ value: each, label: wordsOf(each) }))}
        onChoose={setKind}
      />
    </Dialog>
  );
}

function DeleteDialog({ endpoint, onClose }: DialogProps): ReactNode {
  const go = useGo();
  const remove = useAct(deleteEndpointDocument, {
    refreshes: [endpointsDocument] as never,
    isQuiet: true,
    done: () => 'Deleted',
    onDone: () => go(['webhooks', 'endpoints']),
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Delete “${visibleText(endpoint.name ?? endpoint.url)}”?`}
      description="Deliveries that wait for it are skipped. Its past deliveries stay until their time has passed."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" isBusy={remove.isBusy} onClick={() => remove.act({ input: { id: endpoint.id } })}>
            Delete the endpoint
          </Button>
        </>
      }
    >
      {remove.error && <TroubleNote trouble={explain(remove.error)} isNarrow />}
    </Dialog>
  );
}
