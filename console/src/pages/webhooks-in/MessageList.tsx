import type { ReactNode } from 'react';
import { usePages, useRead } from '../../data/queries.ts';
import {
  Answer,
  countText,
  Empty,
  Filters,
  ListEnd,
  NothingMatches,
  Panel,
  Select,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { setFilters, withoutFilters } from '../../router/setFilters.ts';
import { type InboundSearch, inboundVariables, outcomes } from './inboundSearch.ts';
import { MessageRows } from './MessageRows.tsx';
import { messagesDocument } from './messagesDocuments.ts';
import { sourcesDocument } from './sourcesDocuments.ts';
import styles from './WebhooksIn.module.css';

interface MessageListProps {
  search: InboundSearch;
  /** The parameters that are filters here; a source's page fixes the source. */
  labels: Partial<Record<keyof InboundSearch, string>>;
  onChange: (search: InboundSearch) => void;
}

/** Messages of sources by outcome, newest first. */
export function MessageList({ search, labels, onChange }: MessageListProps): ReactNode {
  const pages = usePages(messagesDocument, inboundVariables(search), {
    pollMs: 10_000,
    next: ({ webhookSourceDeliveries: { pageInfo } }) =>
      pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined,
  });
  const rows = pages.data?.flatMap(({ webhookSourceDeliveries }) => webhookSourceDeliveries.nodes) ?? [];
  const set = setFilters(search, labels, onChange);
  return (
    <section aria-label="Messages and their filters">
      {!labels.source && <h2 className={styles['title']}>Messages</h2>}
      <Filters set={set} onClear={() => onChange(withoutFilters(search, labels))}>
        <Select
          label="Outcome"
          isBare
          value={search.status ?? ''}
          options={[
            { value: '', label: 'Every outcome' },
            ...outcomes.map((word) => ({ value: word, label: wordsOf(word) })),
          ]}
          onChoose={(status) => onChange({ ...search, status: status || undefined })}
        />
        {labels.source && <SourceSelect search={search} onChange={onChange} />}
      </Filters>
      <Panel title="Messages" hasHiddenTitle isFlush>
        <Answer
          read={pages}
          skeleton={{ rows: 8 }}
          isEmpty={() => rows.length === 0}
          nothingMatches={set.length > 0 && <NothingMatches title="No message matches these filters" set={set} />}
          empty={
            <Empty title="No message yet">
              <p>Give the sender the receive address of its source. Its page shows it on request.</p>
            </Empty>
          }
        >
          {() => (
            <>
              <MessageRows rows={rows} />
              <ListEnd pages={pages} shown={`${countText(rows.length)} messages`} />
            </>
          )}
        </Answer>
      </Panel>
    </section>
  );
}

function SourceSelect({ search, onChange }: Pick<MessageListProps, 'search' | 'onChange'>): ReactNode {
  const { data } = useRead(sourcesDocument, {});
  const known = data?.webhookSources.nodes ?? [];
  const isKnown = !search.source || known.some(({ id }) => id === search.source);
  return (
    <Select
      label="Source"
      isBare
      value={search.source ?? ''}
      options={[
        { value: '', label: 'Every source' },
        ...known.map(({ id, name, eventName }) => ({ value: id, label: visibleText(name ?? eventName) })),
        ...(isKnown ? [] : [{ value: search.source ?? '', label: `Source …${search.source?.slice(-6)}` }]),
      ]}
      onChoose={(source) => onChange({ ...search, source: source || undefined })}
    />
  );
}
