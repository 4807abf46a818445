import type { ReactNode } from 'react';
import type { WebhookDeliveriesQuery } from '../../data/generated/graphql.ts';
import { Badge, Cell, Check, Countdown, Head, Status, Table, Time, visibleText, wordsOf } from '../../design/index.ts';
import { aboveRowLink, moveRowFocus, RowLink } from '../../router/RowLink.tsx';
import { StatusCode } from '../webhooks/HttpParts.tsx';
import styles from './WebhooksOut.module.css';

type DeliveryRow = WebhookDeliveriesQuery['webhookDeliveries']['nodes'][number];

interface DeliveryRowsProps {
  rows: readonly DeliveryRow[];
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
  hasUrls: boolean;
}

/** Deliveries as rows that can be chosen; each leads to its page. */
export function DeliveryRows({ rows, chosen, onChosen, hasUrls }: DeliveryRowsProps): ReactNode {
  const areAllChosen = rows.every(({ id }) => chosen.has(id));
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChosen(next);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the links of the rows.
    <div onKeyDown={moveRowFocus}>
      <Table
        label="List of deliveries"
        isCards
        head={
          <>
            <Head width="2.25rem">
              <Check
                label="Choose all shown deliveries"
                isBare
                checked={areAllChosen}
                onChange={() => onChosen(new Set(areAllChosen ? [] : rows.map(({ id }) => id)))}
              />
            </Head>
            <Head width="8.5rem">Status</Head>
            <Head width="12rem">Kind</Head>
            {hasUrls && <Head>Address</Head>}
            <Head width="14rem">Created</Head>
            <Head isNumber>Attempts</Head>
            <Head width="8rem">Answer</Head>
            <Head width="9rem">Next attempt</Head>
          </>
        }
      >
        {rows.map((row) => (
          <tr key={row.id} aria-selected={chosen.has(row.id)}>
            <Cell className={aboveRowLink}>
              <Check
                label={`Choose delivery ${row.id}`}
                isBare
                checked={chosen.has(row.id)}
                onChange={() => toggle(row.id)}
              />
            </Cell>
            <Cell>
              <Status status={row.status} />
            </Cell>
            <Cell className={styles['kind']}>
              <RowLink to={['webhooks', 'deliveries', row.id]}>{wordsOf(row.eventKind)}</RowLink>{' '}
              {row.isTest && <Badge tone="wait">test</Badge>}
            </Cell>
            {hasUrls && (
              <Cell isCut className={styles['url']} title={visibleText(row.url)}>
                {visibleText(row.url)}
              </Cell>
            )}
            <Cell className={styles['soft']}>
              <Time at={row.createdAt} form="both" />
            </Cell>
            <Cell isNumber name="attempts">
              {row.attemptCount}
            </Cell>
            <Cell>{row.attemptCount > 0 ? <StatusCode code={row.lastStatusCode} /> : '–'}</Cell>
            <Cell className={styles['soft']}>{row.nextAttemptAt ? <Countdown until={row.nextAttemptAt} /> : '–'}</Cell>
          </tr>
        ))}
      </Table>
    </div>
  );
}
