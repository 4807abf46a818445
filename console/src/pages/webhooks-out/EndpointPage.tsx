import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { WebhookEndpointQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Empty,
  Facts,
  Id,
  PageHead,
  Panel,
  Select,
  Stack,
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
  return (
    <Answer
      read={read}
      skeleton={{ rows: 6, height: '3rem' }}
      isEmpty={({ webhookEndpoint }) => webhookEndpoint === null}
      empty={
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
      {({ webhookEndpoint }) => webhookEndpoint && <Content key={id} endpoint={webhookEndpoint} />}
    </Answer>
  );
}

function Content({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const { range = '24h', ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const span = useMemo(() => windowOf(range), [range]);
  const read = useRead(endpointStatsDocument, { id: endpoint.id, ...span }, { pollMs: 60_000 });
  const [stats] = read.data?.webhookEndpointStats ?? [];
  const health = healthOf(endpoint, stats);
  return (
    <Stack>
      <PageHead
        above={<PageLink to={['webhooks', 'endpoints']}>Endpoints</PageLink>}
        title={visibleText(endpoint.name ?? endpoint.url)}
        beside={read.data && <Badge tone={health.tone}>{health.label}</Badge>}
        below={endpoint.name && <code>{visibleText(endpoint.url)}</code>}
        actions={<EndpointControls endpoint={endpoint} />}
      />
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
        <Answer read={read} skeleton={{ rows: 5 }}>
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
    </Stack>
  );
}
