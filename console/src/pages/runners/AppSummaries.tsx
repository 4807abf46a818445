import { CircleCheck, GitCompareArrows, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, Time, visibleText } from '../../design/index.ts';
import styles from './RunnersPage.module.css';
import type { AppSummary } from './runnerGroups.ts';

/** A card per app: who serves it, and whether its runners differ. */
export function AppSummaries({ apps }: { apps: readonly AppSummary[] }): ReactNode {
  return (
    <section className={styles['apps']} aria-label="Apps">
      {apps.map((summary) => (
        <App key={summary.app} summary={summary} />
      ))}
    </section>
  );
}

function App({ summary }: { summary: AppSummary }): ReactNode {
  const { app, live, sdks, partial, goneSince } = summary;
  const isMixed = sdks.length > 1 || partial.length > 0;
  return (
    <div className={styles['app']}>
      <div className={styles['app-head']}>
        <h2 className={styles['app-name']}>{visibleText(app)}</h2>
        {live === 0 ? (
          <Badge tone="bad" icon={Unplug}>
            no live runner
          </Badge>
        ) : (
          <Badge tone="good" icon={CircleCheck}>
            {live === 1 ? '1 live' : `${live} live`}
          </Badge>
        )}
      </div>
      {goneSince && (
        <p className={styles['note']}>
          The last one was seen <Time at={goneSince} form="both" />. Its runs wait, and fail when they have waited too
          long.
        </p>
      )}
      <div className={styles['badges']}>
        {sdks.map(({ name, runners }) => (
          <Badge key={name} tone={sdks.length > 1 ? 'hold' : 'idle'}>
            {sdks.length > 1 ? `${visibleText(name)} × ${runners}` : visibleText(name)}
          </Badge>
        ))}
        {isMixed && (
          <Badge tone="hold" icon={GitCompareArrows}>
            runners differ
          </Badge>
        )}
      </div>
      {partial.length > 0 && (
        <p className={styles['note']}>
          Only some serve{' '}
          {partial
            .slice(0, 5)
            .map(({ workflow, runners }) => `${visibleText(workflow)} (${runners} of ${live})`)
            .join(', ')}
          {partial.length > 5 && ` and ${partial.length - 5} more`}. A deploy may be under way.
        </p>
      )}
    </div>
  );
}
