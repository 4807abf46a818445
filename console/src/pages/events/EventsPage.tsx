import { getRouteApi } from '@tanstack/react-router';
import { ArrowUp, Pause, Play, Send } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { usePages } from '../../data/queries.ts';
import { useSuggestions } from '../../data/suggestions.ts';
import { useFollow } from '../../data/useFollow.ts';
import { useNewRows } from '../../data/useNewRows.ts';
import {
  Answer,
  Button,
  Check,
  Code,
  Empty,
  Filters,
  NothingMatches,
  PageHead,
  Panel,
  type SetFilter,
  Stack,
  TextFilter,
  useComeIn,
} from '../../design/index.ts';
import { NameFilters } from '../../router/NameFilters.tsx';
import { useGo } from '../../router/PageLink.tsx';
import { instantOf } from '../../router/searchFields.ts';
import { useTitle } from '../../router/useTitle.ts';
import { EventRows } from './EventRows.tsx';
import { eventIngestedDocument, eventsDocument } from './eventDocuments.ts';
import type { EventsSearch } from './eventsSearch.ts';

const route = getRouteApi('/p/$project/events');

const pageSize = 50;

/** The events of the project, live. While it is paused, new ones are counted until asked for. */
export default function EventsPage(): ReactNode {
  useTitle('Events');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: EventsSearch): void => void navigate({ search: next });
  const go = useGo();
  return (
    <Stack>
      <PageHead
        title="Events"
        actions={
          <Button icon={Send} onClick={() => go(['events', 'new'], { name: search.name })}>
            Send an event
          </Button>
        }
      />
      <Filters set={setFilters(search, change)} onClear={() => change({})}>
        <NameField search={search} onChange={change} />
        <NameFilters search={search} onChange={(names) => change({ ...search, ...names })} by={['app']} />
        <Check
          label="Only those that no workflow matched"
          checked={search.unmatched ?? false}
          onChange={(event) => change({ ...search, unmatched: event.target.checked || undefined })}
        />
      </Filters>
      <EventsList search={search} set={setFilters(search, change)} />
    </Stack>
  );
}

function NameField({ search, onChange }: { search: EventsSearch; onChange: (next: EventsSearch) => void }): ReactNode {
  return (
    <TextFilter
      label="Name of the event"
      value={search.name}
      suggestions={useSuggestions('EVENT')}
      onSet={(name) => onChange({ ...search, name })}
    />
  );
}

function setFilters(search: EventsSearch, change: (next: EventsSearch) => void): SetFilter[] {
  const texts = (['name', 'app', 'session', 'since'] as const).flatMap((name) => {
    const value = search[name];
    return value ? [{ name, value, drop: () => change({ ...search, [name]: undefined }) }] : [];
  });
  const tags = Object.entries(search.tags ?? {}).map(([key, value]) => ({
    name: key,
    value,
    drop: () => change({ ...search, tags: undefined }),
  }));
  const unmatched = search.unmatched
    ? [{ name: 'events', value: 'without a match', drop: () => change({ ...search, unmatched: undefined }) }]
    : [];
  return [...texts, ...tags, ...unmatched];
}

function EventsList({ search, set }: { search: EventsSearch; set: readonly SetFilter[] }): ReactNode {
  const [isPaused, setPaused] = useState(false);
  const key = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the search.
  const variables = useMemo(
    () => ({
      first: pageSize,
      name: search.name,
      app: search.app,
      session: search.session,
      since: instantOf(search.since),
      tags: search.tags && Object.entries(search.tags).map(([name, value]) => ({ key: name, value })),
      unmatchedOnly: search.unmatched,
    }),
    [key],
  );
  const pages = usePages(eventsDocument, variables, {
    next: ({ events }) => (events.pageInfo.hasNextPage ? (events.pageInfo.endCursor ?? undefined) : undefined),
  });
  const fresh = useNewRows(eventsDocument, variables, {
    pages,
    idsOf: ({ events }) => events.nodes.map(({ id }) => id),
  });
  const { name, app } = search;
  useFollow(eventIngestedDocument, { name, app }, { onMessage: fresh.notice, onGap: fresh.notice });
  const box = useRef<HTMLDivElement>(null);
  useComeIn({ count: isPaused ? 0 : fresh.count, show: fresh.show, box });
  const events = pages.data?.flatMap((page) => page.events.nodes) ?? [];
  return (
    <Panel
      title="Latest first"
      isFlush
      actions={
        <>
          {fresh.count > 0 && (
            <Button kind="primary" icon={ArrowUp} onClick={fresh.show}>
              {`${fresh.count >= pageSize ? `${pageSize}+` : fresh.count} new`}
            </Button>
          )}
          <Button
            kind="quiet"
            icon={isPaused ? Play : Pause}
            aria-pressed={isPaused}
            onClick={() => setPaused(!isPaused)}
          >
            {isPaused ? 'Follow' : 'Pause'}
          </Button>
        </>
      }
    >
      <div ref={box}>
        <Answer
          read={pages}
          skeleton={{ rows: 12 }}
          isEmpty={() => events.length === 0}
          nothingMatches={set.length > 0 && <NothingMatches title="No event matches these filters" set={set} />}
          empty={<NoEvents />}
        >
          {() => (
            <>
              <EventRows events={events} />
              {pages.hasMore && (
                <Button kind="quiet" isBusy={pages.isLoadingMore} onClick={pages.loadMore}>
                  Older events
                </Button>
              )}
            </>
          )}
        </Answer>
      </div>
    </Panel>
  );
}

function NoEvents(): ReactNode {
  return (
    <Empty title="No event has come in yet">
      <p>Programs send events, and steps emit them. This command sends one:</p>
      <Code
        what="command"
        text={`curl -X POST ${location.origin}/events -H "Authorization: Bearer $HOLDFAST_API_KEY" \\\n  -H "Content-Type: application/json" -d '{"name": "hello", "data": {}}'`}
      />
    </Empty>
  );
}
