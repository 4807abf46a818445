import { CirclePause, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLiveState } from '../data/useFollow.ts';
import { useSession } from '../session/session.ts';
import styles from './Bars.module.css';

/** Bars above each page: a lost socket, a suspended project. */
export function Bars(): ReactNode {
  const live = useLiveState();
  const { viewer } = useSession();
  return (
    <div role="status">
      {live === 'interrupted' && (
        <p className={styles['bar']}>
          <WifiOff size={16} aria-hidden />
          Live updates are interrupted. The page shows what was last read, and connects again by itself.
        </p>
      )}
      {viewer?.project?.suspended && (
        <p className={styles['bar']}>
          <CirclePause size={16} aria-hidden />
          The project is suspended: events are recorded, and no run starts.
        </p>
      )}
    </div>
  );
}
