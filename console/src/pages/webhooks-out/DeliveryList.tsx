import { RotateCcw } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { usePages } from '../../data/queries.ts';
import { useFollow } from '../../data/useFollow.ts';
import { useReadAgain } from '../../data/useReadAgain.ts';
import {
  Answer,
  Button,
  countText,
  Empty,
  Filters,
  ListEnd,
  NothingMatches,
  Panel,
  Select,
  SinceSelect,
  wordsOf,
} from '../../design/index.ts';
import { NameFilters } from '../../router/NameFilters.tsx';
import { setFilters, withoutFilters } from '../../router/setFilters.ts';
import { useRefusal } from '../../session/rights.ts';
import { DeliveryRows } from './DeliveryRows.tsx';
import { deliveriesDocument, deliveryChangedDocument } from './deliveriesDocuments.ts';
import { type DeliveriesSearch, deliveriesVariables, deliveryKinds, deliveryStatuses } from './deliveriesSearch.ts';
import { endpointStatsDocument, endpointsDocument } from './endpointsDocuments.ts';
import { RedeliverDialog } from './RedeliverDialog.tsx';
import styles from './WebhooksOut.module.css';

interface DeliveryListProps {
  search: DeliveriesSearch;
  /** The parameters that are filters here; an endpoint's page fixes the endpoint. */
  labels: Partial<Record<keyof DeliveriesSearch, string>>;
  onChange: (search: DeliveriesSearch) => void;
  /** Rows show the address, which differs from row to row. */
  hasUrls?: boolean;
}

/** Deliveries with filters; one, several or all that match can be attempted again. */
export function DeliveryList({ search, labels, onChange, hasUrls = false }: DeliveryListProps): ReactNode {
  const key = JSON.stringify(search);
  // Relative times become instants once, or each rendering would ask anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the search.
  const variables = useMemo(() => deliveriesVariables(search), [key]);
  const pages = usePages(deliveriesDocument, variables, {
    next: ({ webhookDeliveries: { pageInfo } }) =>
      pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined,
  });
  const readAgain = useReadAgain([deliveriesDocument, endpointsDocument, endpointStatsDocument] as never);
  useFollow(deliveryChangedDocument, { endpointId: search.endpoint }, { onMessage: readAgain, onGap: readAgain });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isRedelivering, setRedelivering] = useState(false);
  const rows = pages.data?.flatMap(({ webhookDeliveries }) => webhookDeliveries.nodes) ?? [];
  const set = setFilters(search, labels, onChange);
  const [status] = search.status ?? [];
  return (
    <section aria-label="Deliveries and their filters">
      {!hasUrls && <h2 className={styles['title']}>Deliveries</h2>}
      <Filters set={set} onClear={() => onChange(withoutFilters(search, labels))}>
        <Select
          label="Status"
          isBare
          value={search.status?.length === 1 && status ? status : ''}
          options={[
            { value: '', label: (search.status?.length ?? 0) > 1 ? 'Several statuses' : 'Every status' },
            ...deliveryStatuses.map((word) => ({ value: word, label: wordsOf(word) })),
          ]}
          onChoose={(word) => onChange({ ...search, status: word ? [word] : undefined })}
        />
        <Select
          label="Kind"
          isBare
          value={search.kind ?? ''}
          options={[
            { value: '', label: 'Every kind' },
            ...deliveryKinds.map((word) => ({ value: word, label: wordsOf(word) })),
          ]}
          onChoose={(kind) => onChange({ ...search, kind: kind || undefined })}
        />
        <SinceSelect label="Created" since={search.since} onChoose={(since) => onChange({ ...search, since })} />
        <NameFilters search={search} onChange={({ app }) => onChange({ ...search, app })} by={['app']} />
        <Button
          icon={RotateCcw}
          refusal={useRefusal('write') ?? (rows.length === 0 ? 'no delivery matches' : undefined)}
          onClick={() => setRedelivering(true)}
        >
          {chosen.size > 0 ? `Redeliver ${countText(chosen.size)} chosen` : 'Redeliver all matching'}
        </Button>
      </Filters>
      <Panel title="Deliveries" hasHiddenTitle isFlush>
        <Answer
          read={pages}
          skeleton={{ rows: 8 }}
          isEmpty={() => rows.length === 0}
          nothingMatches={set.length > 0 && <NothingMatches title="No delivery matches these filters" set={set} />}
          empty={
            <Empty title="No delivery yet">
              <p>A delivery is created when a run or a step ends of which an endpoint wants to know.</p>
            </Empty>
          }
        >
          {() => (
            <>
              <DeliveryRows rows={rows} chosen={chosen} onChosen={setChosen} hasUrls={hasUrls} />
              <ListEnd pages={pages} shown={`${countText(rows.length)} deliveries`} />
            </>
          )}
        </Answer>
      </Panel>
      {isRedelivering && (
        <RedeliverDialog
          search={search}
          chosen={chosen}
          onClose={() => setRedelivering(false)}
          onDone={() => {
            setRedelivering(false);
            setChosen(new Set());
          }}
        />
      )}
    </section>
  );
}
