import { Hourglass } from 'lucide-react';
import type { ReactNode } from 'react';
import { Countdown, classes, Time } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './WaitReasons.module.css';
import { type Reason, reasonsOf, type Wait } from './waitReasons.ts';

/** Why the run does not move: a sentence for each cause, the most binding first. */
export function WaitReasons({ waits }: { waits: readonly Wait[] }): ReactNode {
  const reasons = reasonsOf(waits);
  if (reasons.length === 0) return null;
  return (
    <section className={styles['reasons']} aria-label="Why it waits">
      <ul>
        {reasons.map((reason, at) => (
          <ReasonLine key={`${reason.title} ${reason.since}`} reason={reason} isFirst={at === 0} />
        ))}
      </ul>
    </section>
  );
}

function ReasonLine({ reason, isFirst }: { reason: Reason; isFirst: boolean }): ReactNode {
  const { title, detail, tone, links, until, since } = reason;
  return (
    <li className={classes(styles['reason'], styles[tone], isFirst && styles['first'])}>
      <Hourglass size={isFirst ? 18 : 15} aria-hidden />
      <div className={styles['words']}>
        <p className={styles['title']}>{title}</p>
        {detail && <p className={styles['detail']}>{detail}</p>}
        {links.length > 0 && (
          <p className={styles['links']}>
            {links.map(({ label, to, search }) => (
              <PageLink key={`${label} ${to.join('/')}`} to={to} {...(search && { search })}>
                {label}
              </PageLink>
            ))}
          </p>
        )}
      </div>
      <p className={styles['times']}>
        {until && (
          <span className={styles['until']}>
            <Countdown until={until} />
          </span>
        )}
        {since && (
          <span>
            since <Time at={since} form="relative" />
          </span>
        )}
      </p>
    </li>
  );
}
