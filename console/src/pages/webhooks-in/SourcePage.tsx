import { getRouteApi } from '@tanstack/react-router';
import { Eye } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { WebhookSourceQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  Code,
  Empty,
  Facts,
  Id,
  PageHead,
  Panel,
  shortId,
  ThingPage,
  Time,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { inboundFilters } from './inboundSearch.ts';
import { schemeLabels } from './inboundWords.ts';
import { MessageList } from './MessageList.tsx';
import { SourceControls, SourceOverlap } from './SourceControls.tsx';
import { sourceAddressDocument, sourceDocument } from './sourcesDocuments.ts';
import styles from './WebhooksIn.module.css';

const route = getRouteApi('/p/$project/webhooks/sources/$id');

export type Source = NonNullable<WebhookSourceQuery['webhookSource']>;

const { source: _fixed, ...filters } = inboundFilters;

/** One source: its address, its settings, and its messages. */
export default function SourcePage(): ReactNode {
  const { id } = route.useParams();
  const read = useRead(sourceDocument, { id });
  const source = read.data?.webhookSource;
  useTitle(source ? `Webhooks of ${visibleText(source.name ?? source.eventName)}` : 'Webhook source');
  return (
    <ThingPage
      read={read}
      thingOf={({ webhookSource }) => webhookSource}
      head={(found) => <SourceHead id={id} source={found} />}
      missing={
        <Empty
          title="No source of this project has this id"
          actions={
            <PageLink to={['webhooks', 'inbound']} search={{ source: id }}>
              Its messages
            </PageLink>
          }
        >
          <p>
            <code>{visibleText(id)}</code> may belong to another project, or it was deleted. Messages outlive it.
          </p>
        </Empty>
      }
    >
      {(found) => <Content key={id} source={found} />}
    </ThingPage>
  );
}

function SourceHead({ id, source }: { id: string; source: Source | null | undefined }): ReactNode {
  const above = <PageLink to={['webhooks', 'sources']}>Sources</PageLink>;
  if (!source) return <PageHead above={above} title={`Source ${visibleText(shortId(id))}`} />;
  return (
    <PageHead
      above={above}
      title={visibleText(source.name ?? source.eventName)}
      beside={<Badge tone={source.enabled ? 'good' : 'idle'}>{source.enabled ? 'Enabled' : 'Disabled'}</Badge>}
      below={
        <>
          becomes <code>{visibleText(source.eventName)}</code>
          {source.app && ` of ${visibleText(source.app)}`}
        </>
      }
      actions={<SourceControls source={source} />}
    />
  );
}

function Content({ source }: { source: Source }): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <SourceOverlap source={source} />
      <Address id={source.id} />
      <Panel title="Settings">
        <Facts
          facts={[
            ['Signature', schemeLabels[source.scheme] ?? source.scheme],
            ['Dedupe key', source.dedupeKey ? <code key="dedupe">{visibleText(source.dedupeKey)}</code> : 'none'],
            ['Headers for the event', source.exposeHeaders.map(visibleText).join(', ') || 'none'],
            ['Handshake', source.handshake ? wordsOf(source.handshake) : 'none'],
            ['Only for', source.targetApp ? visibleText(source.targetApp) : 'workflows of all apps'],
            ['Created', <Time key="created" at={source.createdAt} form="both" />],
            ['Changed', <Time key="changed" at={source.updatedAt} form="both" />],
            ['Id', <Id key="id" id={source.id} what="source id" />],
          ]}
        />
      </Panel>
      <MessageList
        search={{ ...search, source: source.id }}
        labels={filters}
        onChange={({ source: _same, ...next }) => void navigate({ search: next, resetScroll: false })}
      />
    </>
  );
}

/** The receive address. Its last part is a token, so it shows on request only. */
function Address({ id }: { id: string }): ReactNode {
  const [isWanted, setWanted] = useState(false);
  const read = useRead(sourceAddressDocument, { id }, { isEnabled: isWanted });
  const write = useRefusal('write');
  return (
    <Panel
      title="Receive address"
      actions={
        !isWanted && (
          <Button icon={Eye} refusal={write} onClick={() => setWanted(true)}>
            Show the address
          </Button>
        )
      }
    >
      {isWanted ? (
        <Answer read={read} skeleton={{ rows: 1 }}>
          {({ webhookSource }) =>
            webhookSource?.receiveUrl ? (
              <Code text={webhookSource.receiveUrl} what="receive address" isWrapped />
            ) : (
              <p>This key does not see the address.</p>
            )
          }
        </Answer>
      ) : (
        <p className={styles['soft']}>The sender posts to it. It holds a token, so it is hidden until you ask.</p>
      )}
    </Panel>
  );
}
