import type { ReactNode } from 'react';
import type { EventsQuery } from '../../data/generated/graphql.ts';
import { Badge, Cell, Head, Table, Tags, Time, visibleText, wordsOf } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { summaryOf, workflowNames } from './outcomes.ts';

type EventRow = EventsQuery['events']['nodes'][number];

export function EventRows({ events }: { events: readonly EventRow[] }): ReactNode {
  return (
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
  );
}
