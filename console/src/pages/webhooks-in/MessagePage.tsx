import { getRouteApi } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { WebhookSourceDeliveryQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Button,
  Cell,
  Code,
  Empty,
  Facts,
  Head,
  Id,
  PageHead,
  Panel,
  Status,
  Table,
  ThingPage,
  Time,
  visibleText,
} from '../../design/index.ts';
import { Payload } from '../../payload/Payload.tsx';
import { PageLink } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { Headers } from '../webhooks/HttpParts.tsx';
import { outcomeText, replayRefusal } from './inboundWords.ts';
import { Became } from './MessageRows.tsx';
import { messageBodyDocument, messageDocument } from './messagesDocuments.ts';
import { ReplayDialog } from './ReplayDialog.tsx';
import styles from './WebhooksIn.module.css';

const route = getRouteApi('/p/$project/webhooks/inbound/$id');

type Message = NonNullable<WebhookSourceDeliveryQuery['webhookSourceDelivery']>;

/** One message of a source: whether it verified, what it became, and its replays. */
export default function MessagePage(): ReactNode {
  const { id } = route.useParams();
  const read = useRead(messageDocument, { id });
  useTitle(`Inbound webhook …${id.slice(-6)}`);
  return (
    <ThingPage
      read={read}
      thingOf={({ webhookSourceDelivery }) => webhookSourceDelivery}
      head={(message) => <MessageHead message={message} />}
      missing={
        <Empty title="No message of this project has this id">
          <p>
            <code>{visibleText(id)}</code> may belong to another project, or its time has passed and it was deleted.
          </p>
        </Empty>
      }
    >
      {(message) => <Content message={message} />}
    </ThingPage>
  );
}

function MessageHead({ message }: { message: Message | null | undefined }): ReactNode {
  return (
    <PageHead
      above={<PageLink to={['webhooks', 'inbound']}>Messages</PageLink>}
      title="Inbound webhook"
      beside={message && <Status status={message.status} />}
      below={message && outcomeText(message.status, message.failureReason)}
      actions={message && <Replay message={message} />}
    />
  );
}

function Replay({ message: { id, status } }: { message: Message }): ReactNode {
  const [isReplaying, setReplaying] = useState(false);
  const start = useRefusal('start');
  return (
    <>
      <Button icon={RotateCcw} refusal={start ?? replayRefusal(status)} onClick={() => setReplaying(true)}>
        Replay
      </Button>
      {isReplaying && <ReplayDialog id={id} onClose={() => setReplaying(false)} />}
    </>
  );
}

function Content({ message }: { message: Message }): ReactNode {
  const { id, source, status } = message;
  return (
    <>
      <Panel title="Facts" hasHiddenTitle>
        <Facts
          facts={[
            ['Arrived', <Time key="at" at={message.createdAt} form="both" />],
            [
              'Source',
              <PageLink key="source" to={['webhooks', 'sources', source]}>
                Source …{source.slice(-6)}
              </PageLink>,
            ],
            ['Became', <Became key="became" eventId={message.eventId} runId={message.runId} />],
            ['Id', <Id key="id" id={id} what="message id" />],
          ]}
        />
      </Panel>
      <Panel title="Arrival and replays" isFlush>
        <Attempts attempts={message.attempts} />
      </Panel>
      <Body id={id} isStored={!['UNAUTHORIZED', 'TOO_LARGE', 'MISCONFIGURED'].includes(status)} />
      <Panel title="Request">
        <Headers title="Headers" headers={message.requestHeaders} />
      </Panel>
    </>
  );
}

function Attempts({ attempts }: { attempts: Message['attempts'] }): ReactNode {
  return (
    <Table
      label="List of attempts"
      isCards
      head={
        <>
          <Head width="9rem">Outcome</Head>
          <Head width="14rem">When</Head>
          <Head>Cause</Head>
          <Head width="10rem">Became</Head>
        </>
      }
    >
      {attempts.map(({ id, status, createdAt, trigger, actor, eventId, runId }) => (
        <tr key={id}>
          <Cell>
            <Status status={status} />
          </Cell>
          <Cell className={styles['soft']}>
            <Time at={createdAt} form="both" />
          </Cell>
          <Cell className={styles['soft']}>
            {trigger === 'REPLAY' ? `Replay${actor ? ` by ${visibleText(actor)}` : ''}` : 'Arrival'}
          </Cell>
          <Cell>
            <Became eventId={eventId} runId={runId} />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

/** The body of a verified message, read when somebody asks for it. Others are not stored. */
function Body({ id, isStored }: { id: string; isStored: boolean }): ReactNode {
  const [isWanted, setWanted] = useState(false);
  const read = useRead(messageBodyDocument, { id }, { isEnabled: isWanted, hasPayloads: true });
  if (!isStored || !isWanted)
    return (
      <Panel title="Body" actions={isStored && <Button onClick={() => setWanted(true)}>Show the body</Button>}>
        <p className={styles['soft']}>
          {isStored ? 'As it was received.' : 'The body of a message that did not verify is not stored.'}
        </p>
      </Panel>
    );
  return (
    <Panel title="Body">
      <Answer read={read} skeleton={{ rows: 4 }}>
        {({ webhookSourceDelivery: found }) => {
          if (found?.body == null) return <p>The body is not stored.</p>;
          if (found.bodyEncoding) return <Code text={found.body} what={`body as ${found.bodyEncoding}`} isWrapped />;
          return <Payload what="Received body" text={found.body} />;
        }}
      </Answer>
    </Panel>
  );
}
