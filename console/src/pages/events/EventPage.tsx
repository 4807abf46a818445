import { getRouteApi } from '@tanstack/react-router';
import { ListTree, Send } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EventQuery } from '../../data/generated/graphql.ts';
import { ask, useRead } from '../../data/queries.ts';
import {
  Button,
  Code,
  Empty,
  Facts,
  Id,
  PageHead,
  Panel,
  Tags,
  ThingPage,
  Time,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { Payload } from '../../payload/Payload.tsx';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { eventDataDocument, eventDocument } from './eventDocuments.ts';
import { Outcomes } from './Outcomes.tsx';

const route = getRouteApi('/p/$project/events/$id');

type Event = NonNullable<EventQuery['event']>;

/** One event: where it came from, what became of it at each workflow, and its data. */
export default function EventPage(): ReactNode {
  const { id } = route.useParams();
  const read = useRead(eventDocument, { id });
  useTitle(read.data?.event ? `Event ${visibleText(read.data.event.name)}` : 'Event');
  return (
    <ThingPage
      read={read}
      thingOf={({ event }) => event}
      head={(event) => <EventHead id={id} event={event} />}
      missing={
        <Empty title="No event of this project has this id">
          <p>
            <code>{visibleText(id)}</code> may belong to another project, or its time has passed and it was deleted.
          </p>
        </Empty>
      }
    >
      {(event) => <Content event={event} />}
    </ThingPage>
  );
}

function EventHead({ id, event }: { id: string; event: Event | null | undefined }): ReactNode {
  const go = useGo();
  const write = useRefusal('write');
  return (
    <PageHead
      above={<PageLink to={['events']}>Events</PageLink>}
      title={event ? visibleText(event.name) : 'Event'}
      below={<Id id={id} what="event id" />}
      actions={
        event && (
          <>
            <Button icon={ListTree} onClick={() => go(['runs'], { event: id })}>
              Its runs
            </Button>
            <Button icon={Send} refusal={write} onClick={() => go(['events', 'new'], { from: id })}>
              Send again
            </Button>
          </>
        )
      }
    />
  );
}

function Content({ event }: { event: Event }): ReactNode {
  return (
    <>
      <Facts
        facts={[
          ['Received', <Time key="r" at={event.receivedAt} form="both" />],
          ['App', visibleText(event.app)],
          ['Source', wordsOf(event.source)],
          event.sourceRunId
            ? [
                'Emitted by',
                <PageLink key="e" to={['runs', event.sourceRunId]}>{`Run …${event.sourceRunId.slice(-6)}`}</PageLink>,
              ]
            : false,
          event.session
            ? [
                'Session',
                <PageLink key="s" to={['sessions', event.session]}>
                  {visibleText(event.session)}
                </PageLink>,
              ]
            : false,
          event.dedupeId ? ['Dedupe id', visibleText(event.dedupeId)] : false,
          event.targetApp ? ['Only for app', visibleText(event.targetApp)] : false,
          event.runner ? ['Pinned to runner', visibleText(event.runner)] : false,
          event.tags ? ['Tags', <Tags key="t" tags={event.tags} limit={20} />] : false,
        ]}
      />
      <Panel title="What became of it" isFlush>
        {event.suspended ? (
          <Empty title="No run started: the project was suspended" />
        ) : (
          <Outcomes outcomes={event.triggered} />
        )}
      </Panel>
      {event.wokeRuns.length > 0 && (
        <Panel title="Runs that it woke">
          <ul>
            {event.wokeRuns.map((id) => (
              <li key={id}>
                <PageLink to={['runs', id]}>{`Run …${id.slice(-6)}`}</PageLink>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {event.dataPayload ? (
        <Payload
          what="Data"
          text={event.dataPayload.head}
          bytes={event.dataPayload.bytes}
          readAll={async () => (await ask(eventDataDocument, { id: event.id })).event?.dataPayload?.text ?? ''}
        />
      ) : (
        <Panel title="Data">It was sent without data.</Panel>
      )}
      {event.headers != null && (
        <Panel title="Headers">
          <Code text={JSON.stringify(event.headers, undefined, 2)} what="headers" />
        </Panel>
      )}
    </>
  );
}
