import type { ReactNode } from 'react';
import { Badge, type Tone, visibleText } from '../../design/index.ts';
import styles from './HttpParts.module.css';

/** An HTTP status; without one, that no answer came. */
export function StatusCode({ code }: { code: number | null | undefined }): ReactNode {
  if (code == null) return <Badge tone="bad">no answer</Badge>;
  return <Badge tone={toneOf(code)}>{code}</Badge>;
}

function toneOf(code: number): Tone {
  if (code < 300) return 'good';
  return code < 500 && code >= 400 ? 'hold' : 'bad';
}

/** Headers as they were sent, by name. */
export function Headers({ headers, title }: { headers: unknown; title: string }): ReactNode {
  const entries = entriesOf(headers);
  return (
    <section aria-label={title} className={styles['headers']}>
      <h3>{title}</h3>
      {entries.length === 0 ? (
        <p className={styles['none']}>None</p>
      ) : (
        <dl tabIndex={0}>
          {entries.map(([name, value]) => (
            <div key={name}>
              <dt>{visibleText(name)}</dt>
              <dd>{visibleText(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/** A header that was sent several times has its values in one line. */
function entriesOf(headers: unknown): [name: string, value: string][] {
  if (typeof headers !== 'object' || headers === null) return [];
  return Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : String(value),
  ]);
}
