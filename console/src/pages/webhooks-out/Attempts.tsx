import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, Code, durationText, Empty, Time, visibleText, wordsOf } from '../../design/index.ts';
import { Headers, StatusCode } from '../webhooks/HttpParts.tsx';
import type { Delivery } from './DeliveryPage.tsx';
import styles from './WebhooksOut.module.css';

type Attempt = Delivery['attempts'][number];

/** The attempts, the latest first and open: what was sent and what came back. */
export function Attempts({ delivery }: { delivery: Delivery }): ReactNode {
  const attempts = [...delivery.attempts].reverse();
  if (attempts.length === 0) return <Empty title="Not attempted yet" />;
  return (
    <ol className={styles['attempts']} reversed>
      {attempts.map((attempt, index) => (
        <li key={attempt.id}>
          <details open={index === 0}>
            <summary>
              <ChevronRight size={14} aria-hidden className={styles['chevron']} />
              <span className={styles['number']}>Attempt {attempt.attempt}</span>
              <Answered attempt={attempt} />
              <span className={styles['reason']}>{reasonOf(attempt)}</span>
              <span>{durationText(attempt.durationMs)}</span>
              <Time at={attempt.createdAt} form="both" />
            </summary>
            <div className={styles['part']}>
              <div className={styles['pair']}>
                <Headers title="Headers sent" headers={attempt.requestHeaders} />
                <Headers title="Headers answered" headers={attempt.responseHeaders} />
              </div>
              {attempt.responseSnippet && <Code text={attempt.responseSnippet} what="start of the answer" isWrapped />}
            </div>
          </details>
        </li>
      ))}
    </ol>
  );
}

function Answered({ attempt: { outcome, statusCode } }: { attempt: Attempt }): ReactNode {
  if (outcome === 'SKIPPED') return <Badge>skipped</Badge>;
  return <StatusCode code={statusCode} />;
}

function reasonOf({ outcome, error }: Attempt): string {
  if (error) return visibleText(error);
  if (outcome === 'SKIPPED') return 'The endpoint was gone or disabled, so nothing was sent';
  return outcome === 'SUCCEEDED' || outcome === 'HTTP_ERROR' ? '' : wordsOf(outcome);
}
