import type { ReactNode } from 'react';
import type { FlowQuery } from '../../data/generated/graphql.ts';
import { Badge, Cell, Countdown, countText, Head, Meter, Panel, Table, visibleText } from '../../design/index.ts';
import styles from './FlowPage.module.css';

type Lane = FlowQuery['flowState']['inference'][number];

/** Calls of models that the service makes: how many are under way, and what holds others. */
export function Lanes({ lanes }: { lanes: readonly Lane[] }): ReactNode {
  if (lanes.length === 0) return null;
  return (
    <Panel title="Calls of models" isFlush>
      <Table
        label="Calls of models, by provider and model"
        isCards
        head={
          <>
            <Head width="18rem">Model</Head>
            <Head width="12rem">Key</Head>
            <Head width="18rem">In flight</Head>
            <Head>Waiting</Head>
            <Head>Held</Head>
          </>
        }
      >
        {lanes.map((lane) => (
          <tr key={JSON.stringify([lane.provider, lane.model, lane.keyFrom])}>
            <Cell>
              <span className={styles['two']}>
                <span>{visibleText(lane.model)}</span>
                <span className={styles['beside']}>{visibleText(lane.provider)}</span>
              </span>
            </Cell>
            <Cell>{lane.keyFrom === 'PROJECT' ? 'of the project' : 'of the service'}</Cell>
            <Cell>
              <Meter label={`In flight: ${lane.model}`} value={lane.inFlight} limit={lane.limit} />
            </Cell>
            <Cell>
              {lane.waiting > 0 ? (
                <Badge tone="wait">{countText(lane.waiting)} waiting</Badge>
              ) : (
                <span className={styles['beside']}>none waits</span>
              )}
            </Cell>
            <Cell>
              <span className={styles['two']}>
                {lane.heldFor && <Badge tone="bad">{visibleText(lane.heldFor)}</Badge>}
                {lane.heldUntil && (
                  <span className={styles['beside']}>
                    next call <Countdown until={lane.heldUntil} />
                  </span>
                )}
                {!lane.heldFor && !lane.heldUntil && <span className={styles['beside']}>not held</span>}
              </span>
            </Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
