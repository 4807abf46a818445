import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { WebhookEndpointQuery, WebhookEndpointStatsQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Empty,
  Facts,
  Id,
  PageHead,
  Panel,
  type Read,
  Select,
  shortId,
  ThingPage,
  Time,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { DeliveryList } from './DeliveryList.tsx';
import { deliveryFilters } from './deliveriesSearch.ts';
import { EndpointControls, EndpointOverlap } from './EndpointControls.tsx';
import { EndpointHealth } from './EndpointHealth.tsx';
import { healthOf } from './endpointHealth.ts';
import { endpointDocument, endpointStatsDocument } from './endpointsDocuments.ts';
import { rangeOptions, windowOf } from './endpointsSearch.ts';

const route = getRouteApi('/p/$project/webhooks/endpoints/$id');

export type Endpoint = NonNullable<WebhookEndpointQuery['webhookEndpoint']>;

const { endpoint: _fixed, ...filters } = deliveryFilters;

/** One endpoint: how it does, its settings, and its deliveries. */
export default function EndpointPage(): ReactNode {
  const { id } = route.useParams();
  const read = useRead(endpointDocument, { id });
  const endpoint = read.data?.webhookEndpoint;
  useTitle(endpoint ? `Webhooks to ${visibleText(endpoint.name ?? endpoint.url)}` : 'Webhook endpoint');
  const { range = '24h' } = route.useSearch();
  const span = useMemo(() => windowOf(range), [range]);
  const stats = useRead(endpointStatsDocument, { id, ...span }, { pollMs: 60_000 });
  return (
    <ThingPage
      read={read}
      thingOf={({ webhookEndpoint }) => webhookEndpoint}
      head={(found) => <EndpointHead id={id} endpoint={found} stats={stats} />}
      missing={
        <Empty
          title="No endpoint of this project has this id"
          actions={
            <PageLink to={['webhooks', 'deliveries']} search={{ endpoint: id }}>
              Its deliveries
            </PageLink>
          }
        >
          <p>
            <code>{visibleText(id)}</code> may belong to another project, or it was deleted. Deliveries outlive it.
          </p>
        </Empty>
      }
    >
      {(found) => <Content key={id} endpoint={found} stats={stats} span={span} />}
    </ThingPage>
  );
}

interface HeadProps {
  id: string;
  endpoint: Endpoint | null | undefined;
  stats: Read<WebhookEndpointStatsQuery>;
}

function EndpointHead({ id, endpoint, stats }: HeadProps): ReactNode {
  const above = <PageLink to={['webhooks', 'endpoints']}>Endpoints</PageLink>;
  if (!endpoint) return <PageHead above={above} title={`Endpoint ${visibleText(shortId(id))}`} />;
  const health = healthOf(endpoint, stats.data?.webhookEndpointStats[0]);
  return (
    <PageHead
      above={above}
      title={visibleText(endpoint.name ?? endpoint.url)}
      beside={stats.data && <Badge tone={health.tone}>{health.label}</Badge>}
      below={endpoint.name && <code>{visibleText(endpoint.url)}</code>}
      actions={<EndpointControls endpoint={endpoint} />}
    />
  );
}

interface ContentProps {
  endpoint: Endpoint;
  stats: Read<WebhookEndpointStatsQuery>;
  span: ReturnType<typeof windowOf>;
}

function Content({ endpoint, stats, span }: ContentProps): ReactNode {
  const { range = '24h', ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const health = healthOf(endpoint, stats.data?.webhookEndpointStats[0]);
  return (
    <>
      <EndpointOverlap endpoint={endpoint} />
      <Panel
        title="Health"
        actions={
          <Select
            label="Time range"
            isBare
            value={range}
            options={rangeOptions}
            onChoose={(next) =>
              void navigate({ search: { ...search, range: next === '24h' ? undefined : next }, resetScroll: false })
            }
          />
        }
      >
        <Answer read={stats} skeleton={{ rows: 5 }}>
          {({ webhookEndpointStats: [own] }) => own && <EndpointHealth stats={own} health={health} span={span} />}
        </Answer>
      </Panel>
      <Panel title="Settings">
        <Facts
          facts={[
            ['It is told of', endpoint.eventKinds.map(wordsOf).join(', ')],
            ['App', endpoint.app ? visibleText(endpoint.app) : 'all apps'],
            ['Signature', endpoint.scheme === 'STANDARD' ? 'Standard Webhooks' : 'X-Service-Signature'],
            ['Created', <Time key="created" at={endpoint.createdAt} form="both" />],
            ['Changed', <Time key="changed" at={endpoint.updatedAt} form="both" />],
            endpoint.disabledAt != null && [
              'Disabled by the service',
              <Time key="disabled" at={endpoint.disabledAt} form="both" />,
            ],
            ['Id', <Id key="id" id={endpoint.id} what="endpoint id" />],
          ]}
        />
      </Panel>
      <DeliveryList
        search={{ ...search, endpoint: endpoint.id }}
        labels={filters}
        onChange={({ endpoint: _same, ...next }) =>
          void navigate({ search: { ...next, range: range === '24h' ? undefined : range }, resetScroll: false })
        }
      />
    </>
  );
}
