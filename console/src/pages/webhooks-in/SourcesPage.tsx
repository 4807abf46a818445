import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { WebhookSourcesQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  Cell,
  Empty,
  Head,
  PageHead,
  Panel,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { moveRowFocus, RowLink } from '../../router/RowLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { InTabs } from '../webhooks/PageTabs.tsx';
import { schemeLabels } from './inboundWords.ts';
import { sourcesDocument } from './sourcesDocuments.ts';
import styles from './WebhooksIn.module.css';

/** The senders whose messages become events. */
export default function SourcesPage(): ReactNode {
  useTitle('Webhooks in');
  const read = useRead(sourcesDocument, {});
  return (
    <>
      <PageHead title="Webhooks in" below="Senders whose signed messages become events." actions={<NewButton />} />
      <InTabs open="sources" />
      <Panel title="Sources" hasHiddenTitle isFlush>
        <Answer
          read={read}
          skeleton={{ rows: 5 }}
          isEmpty={({ webhookSources }) => webhookSources.nodes.length === 0}
          empty={
            <Empty title="No source yet" actions={<NewButton />}>
              <p>A source is an address for a sender such as GitHub or Stripe. Its verified messages become events.</p>
            </Empty>
          }
        >
          {({ webhookSources }) => <Sources sources={webhookSources.nodes} />}
        </Answer>
      </Panel>
    </>
  );
}

function NewButton(): ReactNode {
  const go = useGo();
  return (
    <Button icon={Plus} kind="primary" refusal={useRefusal('write')} onClick={() => go(['webhooks', 'sources', 'new'])}>
      New source
    </Button>
  );
}

function Sources({ sources }: { sources: WebhookSourcesQuery['webhookSources']['nodes'] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the links of the rows.
    <div onKeyDown={moveRowFocus}>
      <Table
        label="List of sources"
        isCards
        head={
          <>
            <Head>Source</Head>
            <Head>Event</Head>
            <Head width="15rem">Signature</Head>
            <Head width="8rem">State</Head>
            <Head width="14rem">Created</Head>
          </>
        }
      >
        {sources.map(({ id, name, eventName, app, targetApp, scheme, enabled, createdAt }) => (
          <tr key={id}>
            <Cell>
              <RowLink to={['webhooks', 'sources', id]}>{visibleText(name ?? eventName)}</RowLink>
            </Cell>
            <Cell className={styles['soft']}>
              <code>{visibleText(eventName)}</code>
              {app && ` of ${visibleText(app)}`}
              {targetApp && `, only for ${visibleText(targetApp)}`}
            </Cell>
            <Cell className={styles['soft']}>{schemeLabels[scheme] ?? scheme}</Cell>
            <Cell>
              <Badge tone={enabled ? 'good' : 'idle'}>{enabled ? 'Enabled' : 'Disabled'}</Badge>
            </Cell>
            <Cell className={styles['soft']}>
              <Time at={createdAt} form="both" />
            </Cell>
          </tr>
        ))}
      </Table>
    </div>
  );
}
