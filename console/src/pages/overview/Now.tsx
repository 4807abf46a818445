import type { ReactNode } from 'react';
import { useRead } from '../../data/queries.ts';
import { Answer, countText, Meter, Panel, Status, Time } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './Overview.module.css';
import { holdsDocument, nowDocument } from './overviewDocuments.ts';

/** The open runs by status, the oldest queued one, and the ceiling: each a link to the list. */
export function Now(): ReactNode {
  const read = useRead(nowDocument, {}, { pollMs: 10_000 });
  const holds = useRead(holdsDocument, {}, { pollMs: 10_000 });
  const ceiling = holds.data?.flowState.concurrency;
  return (
    <Panel title="Now" hasHiddenTitle>
      <Answer read={read} skeleton={{ rows: 1, height: '3.5rem' }}>
        {({ runStats: { byStatus }, runs }) => {
          const oldest = runs.nodes[0];
          const counts = [
            ['running', byStatus.running],
            ['queued', byStatus.queued],
            ['waiting', byStatus.waiting],
            ['paused', byStatus.paused],
            ['needs_attention', byStatus.needsAttention],
          ] as const;
          return (
            <ul className={styles['now']}>
              {counts.map(([word, count]) => (
                <li key={word}>
                  <PageLink to={['runs']} search={{ status: [word] }} className={styles['figure']}>
                    <span className={styles['number']}>{countText(count)}</span>
                    <Status status={word.toUpperCase()} />
                  </PageLink>
                </li>
              ))}
              {oldest && (
                <li>
                  <PageLink to={['runs', oldest.id]} className={styles['figure']}>
                    <span className={styles['number']}>
                      <Time at={oldest.createdAt} form="relative" />
                    </span>
                    <span className={styles['soft']}>oldest in the queue</span>
                  </PageLink>
                </li>
              )}
              {ceiling && ceiling.limit > 0 && (
                <li className={styles['meter']}>
                  <Meter label="The project's ceiling" value={ceiling.inUse} limit={ceiling.limit} warnAtPct={90} />
                  <span className={styles['soft']}>of the project's ceiling</span>
                </li>
              )}
            </ul>
          );
        }}
      </Answer>
    </Panel>
  );
}
