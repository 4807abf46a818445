import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { WebhookEndpointsQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  Cell,
  countText,
  durationText,
  Empty,
  Head,
  PageHead,
  Panel,
  Select,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { moveRowFocus, RowLink } from '../../router/RowLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { StatusCode } from '../webhooks/HttpParts.tsx';
import { OutTabs } from '../webhooks/PageTabs.tsx';
import { type RankedEndpoint, rankEndpoints, rateText } from './endpointHealth.ts';
import { endpointsDocument } from './endpointsDocuments.ts';
import { rangeOptions, windowOf } from './endpointsSearch.ts';
import styles from './WebhooksOut.module.css';

const route = getRouteApi('/p/$project/webhooks/endpoints');

/** The endpoints, worst first: which one fails, since when, and what it answers. */
export default function EndpointsPage(): ReactNode {
  useTitle('Webhooks out');
  const { range = '24h' } = route.useSearch();
  const navigate = route.useNavigate();
  const read = useRead(
    endpointsDocument,
    useMemo(() => windowOf(range), [range]),
    { pollMs: 60_000 },
  );
  return (
    <>
      <PageHead
        title="Webhooks out"
        below="Addresses that are told of ended runs and steps."
        actions={
          <>
            <Select
              label="Time range"
              isBare
              value={range}
              options={rangeOptions}
              onChoose={(next) => void navigate({ search: { range: next === '24h' ? undefined : next } })}
            />
            <NewButton />
          </>
        }
      />
      <OutTabs open="endpoints" />
      <Panel title="Endpoints" hasHiddenTitle isFlush>
        <Answer
          read={read}
          skeleton={{ rows: 6 }}
          isEmpty={({ webhookEndpoints }) => webhookEndpoints.nodes.length === 0}
          empty={
            <Empty title="No endpoint yet" actions={<NewButton />}>
              <p>An endpoint is an address of yours that gets a signed message when runs or steps end.</p>
            </Empty>
          }
        >
          {({ webhookEndpoints, webhookEndpointStats }) => (
            <Endpoints ranked={rankEndpoints(webhookEndpoints.nodes, webhookEndpointStats)} />
          )}
        </Answer>
      </Panel>
    </>
  );
}

function NewButton(): ReactNode {
  const go = useGo();
  return (
    <Button
      icon={Plus}
      kind="primary"
      refusal={useRefusal('write')}
      onClick={() => go(['webhooks', 'endpoints', 'new'])}
    >
      New endpoint
    </Button>
  );
}

type Ranked = RankedEndpoint<
  WebhookEndpointsQuery['webhookEndpoints']['nodes'][number],
  WebhookEndpointsQuery['webhookEndpointStats'][number]
>;

function Endpoints({ ranked }: { ranked: readonly Ranked[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the links of the rows.
    <div onKeyDown={moveRowFocus}>
      <Table
        label="List of endpoints, worst first"
        isCards
        head={
          <>
            <Head>Endpoint</Head>
            <Head width="12rem">Health</Head>
            <Head isNumber>Deliveries</Head>
            <Head isNumber>Attempts that fail</Head>
            <Head isNumber>p95</Head>
            <Head width="14rem">Last answer</Head>
          </>
        }
      >
        {ranked.map(({ endpoint, stats, health }) => (
          <tr key={endpoint.id}>
            <Cell className={styles['endpoint']}>
              <RowLink to={['webhooks', 'endpoints', endpoint.id]}>
                {visibleText(endpoint.name ?? endpoint.url)}
              </RowLink>
              <span className={styles['below']}>
                {endpoint.name && visibleText(endpoint.url)}
                {endpoint.name && endpoint.app && ' · '}
                {endpoint.app && `only ${visibleText(endpoint.app)}`}
              </span>
            </Cell>
            <Cell>
              <Badge tone={health.tone}>{health.label}</Badge>
              <span className={styles['below']}>
                {health.failingSince && (
                  <>
                    since <Time at={health.failingSince} form="relative" />
                  </>
                )}
                {endpoint.disabledAt && (
                  <>
                    since <Time at={endpoint.disabledAt} form="relative" />
                  </>
                )}
              </span>
            </Cell>
            <Cell isNumber name="deliveries">
              {countText(stats?.total)}
            </Cell>
            <Cell isNumber name="of attempts fail">
              {rateText(health.failureRate)}
            </Cell>
            <Cell isNumber name="p95">
              {stats?.p95Ms == null ? '–' : durationText(stats.p95Ms)}
            </Cell>
            <Cell className={styles['soft']}>
              {stats?.lastAttemptAt ? (
                <>
                  <StatusCode code={stats.lastStatusCode} /> <Time at={stats.lastAttemptAt} form="relative" />
                </>
              ) : (
                '–'
              )}
            </Cell>
          </tr>
        ))}
      </Table>
    </div>
  );
}
