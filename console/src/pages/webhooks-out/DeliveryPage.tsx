import { getRouteApi } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { printExact } from '../../data/exactJson.ts';
import type { WebhookDeliveryQuery } from '../../data/generated/graphql.ts';
import { useAct, useRead } from '../../data/queries.ts';
import { useFollow } from '../../data/useFollow.ts';
import { useReadAgain } from '../../data/useReadAgain.ts';
import {
  Answer,
  Badge,
  Button,
  Countdown,
  Empty,
  Facts,
  Id,
  PageHead,
  Panel,
  Status,
  shortId,
  ThingPage,
  Time,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { Payload } from '../../payload/Payload.tsx';
import { PageLink } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { Attempts } from './Attempts.tsx';
import {
  deliveriesDocument,
  deliveryChangedDocument,
  deliveryDocument,
  deliveryPayloadDocument,
  redeliverDocument,
} from './deliveriesDocuments.ts';

const route = getRouteApi('/p/$project/webhooks/deliveries/$id');

export type Delivery = NonNullable<WebhookDeliveryQuery['webhookDelivery']>;

/** One delivery: what was sent, what came back, and what follows. */
export default function DeliveryPage(): ReactNode {
  const { id } = route.useParams();
  const read = useRead(deliveryDocument, { id });
  const readAgain = useReadAgain([deliveryDocument] as never);
  useFollow(
    deliveryChangedDocument,
    { endpointId: read.data?.webhookDelivery?.endpointId },
    {
      onMessage: ({ webhookDeliveryChanged }) => {
        if (webhookDeliveryChanged.id === id) readAgain();
      },
      onGap: readAgain,
    },
  );
  useTitle(`Webhook delivery …${id.slice(-6)}`);
  return (
    <ThingPage
      read={read}
      thingOf={({ webhookDelivery }) => webhookDelivery}
      head={(delivery) => <DeliveryHead id={id} delivery={delivery} />}
      missing={
        <Empty title="No delivery of this project has this id">
          <p>
            <code>{visibleText(id)}</code> may belong to another project, or its time has passed and it was deleted.
          </p>
        </Empty>
      }
    >
      {(delivery) => <Content delivery={delivery} />}
    </ThingPage>
  );
}

function DeliveryHead({ id, delivery }: { id: string; delivery: Delivery | null | undefined }): ReactNode {
  const above = <PageLink to={['webhooks', 'deliveries']}>Deliveries</PageLink>;
  if (!delivery) return <PageHead above={above} title={`Delivery ${visibleText(shortId(id))}`} />;
  return (
    <PageHead
      above={above}
      title={wordsOf(delivery.eventKind)}
      beside={
        <>
          <Status status={delivery.status} />
          {delivery.isTest && <Badge tone="wait">test</Badge>}
        </>
      }
      below={<code>{visibleText(delivery.url)}</code>}
      actions={<Redeliver delivery={delivery} />}
    />
  );
}

function Redeliver({ delivery: { id, status } }: { delivery: Delivery }): ReactNode {
  const refreshes = [deliveryDocument, deliveriesDocument] as never;
  const redeliver = useAct(redeliverDocument, { refreshes, done: () => 'On its way again' });
  const write = useRefusal('write');
  return (
    <Button
      icon={RotateCcw}
      kind={status === 'SUCCEEDED' ? 'plain' : 'primary'}
      refusal={write ?? (status === 'DELIVERING' ? 'an attempt is under way' : undefined)}
      isBusy={redeliver.isBusy}
      onClick={() => redeliver.act({ input: { id } })}
    >
      Redeliver
    </Button>
  );
}

function Content({ delivery }: { delivery: Delivery }): ReactNode {
  const { id, endpointId, sourceRunId, attemptCount, maxAttempts } = delivery;
  return (
    <>
      <Panel title="Facts" hasHiddenTitle>
        <Facts
          facts={[
            delivery.nextAttemptAt != null && ['Next attempt', <Countdown key="next" until={delivery.nextAttemptAt} />],
            ['Attempts', `${attemptCount}, at most ${maxAttempts} in a row`],
            ['Created', <Time key="created" at={delivery.createdAt} form="both" />],
            ['Changed', <Time key="changed" at={delivery.updatedAt} form="both" />],
            [
              'Endpoint',
              endpointId ? (
                <PageLink key="endpoint" to={['webhooks', 'endpoints', endpointId]}>
                  Endpoint …{endpointId.slice(-6)}
                </PageLink>
              ) : (
                'none: a step sent it'
              ),
            ],
            sourceRunId != null && [
              'Tells of',
              <PageLink key="run" to={['runs', sourceRunId]}>
                Run …{sourceRunId.slice(-6)}
              </PageLink>,
            ],
            ['App', visibleText(delivery.app)],
            ['Id', <Id key="id" id={id} what="delivery id" />],
          ]}
        />
      </Panel>
      <Panel title="Attempts" isFlush>
        <Attempts delivery={delivery} />
      </Panel>
      <Body id={id} />
    </>
  );
}

/** The body, read when somebody asks for it. */
function Body({ id }: { id: string }): ReactNode {
  const [isWanted, setWanted] = useState(false);
  const read = useRead(deliveryPayloadDocument, { id }, { isEnabled: isWanted, hasPayloads: true });
  if (!isWanted)
    return (
      <Panel title="Body" actions={<Button onClick={() => setWanted(true)}>Show the body</Button>}>
        <p>The same in all attempts.</p>
      </Panel>
    );
  return (
    <Panel title="Body">
      <Answer read={read} skeleton={{ rows: 4 }}>
        {({ webhookDelivery }) =>
          webhookDelivery && <Payload what="Sent body" text={printExact(webhookDelivery.payload)} />
        }
      </Answer>
    </Panel>
  );
}
