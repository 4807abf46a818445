import { getRouteApi } from '@tanstack/react-router';
import { ArrowUp, Pause, Play, Send } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { usePages } from '../../data/queries.ts';
import { useFollow } from '../../data/useFollow.ts';
import {
  Answer,
  Badge,
  Button,
  Cell,
  Check,
  Code,
  Empty,
  Field,
  Filters,
  Head,
  NothingMatches,
  PageHead,
  Panel,
  type SetFilter,
  Stack,
  Table,
  Tags,
  Time,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { instantOf } from '../../router/searchFields.ts';
import { useTitle } from '../../router/useTitle.ts';
import { eventIngestedDocument, eventsDocument } from './eventDocuments.ts';
import type { EventsSearch } from './eventsSearch.ts';
import { summaryOf, workflowNames } from './outcomes.ts';

const route = getRouteApi('/p/$project/events');

/** The events of the project, with a live tail: new ones are counted until they are asked for. */
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
        <NameField key={search.name} search={search} onChange={change} />
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
  const [name, setName] = useState(search.name ?? '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ ...search, name: name.trim() || undefined });
      }}
    >
      <Field
        label="Name"
        isBare
        type="search"
        placeholder="Name of the event"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </form>
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
  const [fresh, setFresh] = useState(0);
  const [isPaused, setPaused] = useState(false);
  const key = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the search.
  const variables = useMemo(
    () => ({
      first: 50,
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
  useFollow(
    eventIngestedDocument,
    { name: search.name, app: search.app },
    { isEnabled: !isPaused, onMessage: () => setFresh((count) => count + 1) },
  );
  const events = pages.data?.flatMap((page) => page.events.nodes) ?? [];
  const takeIn = (): void => {
    setFresh(0);
    pages.retry();
  };
  return (
    <Panel
      title="Latest first"
      isFlush
      actions={
        <>
          {fresh > 0 && (
            <Button kind="primary" icon={ArrowUp} onClick={takeIn}>
              {`${fresh} new`}
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
      <Answer
        read={pages}
        skeleton={{ rows: 12 }}
        isEmpty={() => events.length === 0}
        nothingMatches={set.length > 0 && <NothingMatches title="No event matches these filters" set={set} />}
        empty={<NoEvents />}
      >
        {() => (
          <>
            <Table
              label="Events"
              isCards
              head={
                <>
                  <Head>Name</Head>
                  <Head>App</Head>
                  <Head>Received</Head>
                  <Head>Source</Head>
                  <Head>Tags</Head>
                  <Head>What became of it</Head>
                </>
              }
            >
              {events.map((event) => {
                const summary = summaryOf(event);
                return (
                  <tr key={event.id}>
                    <Cell>
                      <PageLink to={['events', event.id]}>{visibleText(event.name)}</PageLink>
                    </Cell>
                    <Cell>{visibleText(event.app)}</Cell>
                    <Cell>
                      <Time at={event.receivedAt} />
                    </Cell>
                    <Cell>{wordsOf(event.source)}</Cell>
                    <Cell>
                      <Tags tags={event.tags} />
                    </Cell>
                    <Cell>
                      <Badge tone={summary.tone} title={workflowNames(event.triggered)}>
                        {summary.text}
                      </Badge>
                    </Cell>
                  </tr>
                );
              })}
            </Table>
            {pages.hasMore && (
              <Button kind="quiet" isBusy={pages.isLoadingMore} onClick={pages.loadMore}>
                Older events
              </Button>
            )}
          </>
        )}
      </Answer>
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
