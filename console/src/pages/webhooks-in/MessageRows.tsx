import type { ReactNode } from 'react';
import type { WebhookSourceDeliveriesQuery } from '../../data/generated/graphql.ts';
import { Cell, Head, Status, Table, Time } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { aboveRowLink, moveRowFocus, RowLink } from '../../router/RowLink.tsx';
import { outcomeText } from './inboundWords.ts';
import styles from './WebhooksIn.module.css';

interface MessageRowsProps {
  rows: WebhookSourceDeliveriesQuery['webhookSourceDeliveries']['nodes'];
}

/** Messages as rows; each leads to its page. */
export function MessageRows({ rows }: MessageRowsProps): ReactNode {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the links of the rows.
    <div onKeyDown={moveRowFocus}>
      <Table
        label="List of messages"
        isCards
        head={
          <>
            <Head width="9rem">Outcome</Head>
            <Head width="14rem">Arrived</Head>
            <Head>What happened</Head>
            <Head width="10rem">Became</Head>
          </>
        }
      >
        {rows.map(({ id, status, failureReason, createdAt, eventId, runId }) => (
          <tr key={id}>
            <Cell>
              <Status status={status} />
            </Cell>
            <Cell>
              <RowLink to={['webhooks', 'inbound', id]}>
                <Time at={createdAt} form="both" />
              </RowLink>
            </Cell>
            <Cell className={styles['soft']}>{outcomeText(status, failureReason)}</Cell>
            <Cell className={aboveRowLink}>
              <Became eventId={eventId} runId={runId} />
            </Cell>
          </tr>
        ))}
      </Table>
    </div>
  );
}

interface BecameProps {
  eventId?: string | null | undefined;
  runId?: string | null | undefined;
}

/** The event of a message, and the first run that it started. */
export function Became({ eventId, runId }: BecameProps): ReactNode {
  if (!eventId) return '–';
  return (
    <>
      <PageLink to={['events', eventId]}>event</PageLink>
      {runId && (
        <>
          , <PageLink to={['runs', runId]}>run</PageLink>
        </>
      )}
    </>
  );
}
