import { CircleAlert, Clock, RotateCw } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Button } from './Button.tsx';
import { classes } from './classes.ts';
import styles from './Panel.module.css';
import { Skeleton } from './Skeleton.tsx';

/** What went wrong with an answer, in words. */
export interface Trouble {
  title: string;
  detail?: string | undefined;
  /** The service is busy: the old data stays, and the console tries again by itself. */
  isBusy?: boolean;
}

/** The state of one read: the parts of a panel follow from it. */
export interface Read<Data> {
  data: Data | undefined;
  trouble: Trouble | undefined;
  /** The data is that of an earlier question, while the answer to the present one loads. */
  isOld: boolean;
  retry: () => void;
}

interface PanelProps {
  title?: ReactNode;
  /** Controls at the right of the title. */
  actions?: ReactNode;
  children: ReactNode;
  /** The content reaches the edges, as tables do. */
  isFlush?: boolean;
  /** The title is read out only. */
  hasHiddenTitle?: boolean;
}

/** A part of a page with its own title. */
export function Panel({ title, actions, children, isFlush = false, hasHiddenTitle = false }: PanelProps): ReactNode {
  const id = useId();
  return (
    <section className={styles['panel']} aria-labelledby={title ? id : undefined}>
      {title && (
        <header className={hasHiddenTitle ? 'unseen' : styles['head']}>
          <h2 id={id}>{title}</h2>
          {actions && <div className={styles['actions']}>{actions}</div>}
        </header>
      )}
      <div className={classes(!isFlush && styles['body'])}>{children}</div>
    </section>
  );
}

interface AnswerProps<Data> {
  read: Read<Data>;
  children: (data: Data) => ReactNode;
  isEmpty?: (data: Data) => boolean;
  /** Shown if nothing is there yet: how to make the first. */
  empty?: ReactNode;
  /** Shown instead if a filter is set: which to drop. */
  nothingMatches?: ReactNode | false;
  skeleton?: { rows?: number; height?: string };
}

/** The content of a panel in each of its states: loading, trouble, empty, nothing matches, data. */
export function Answer<Data>({
  read,
  children,
  isEmpty,
  empty,
  nothingMatches,
  skeleton,
}: AnswerProps<Data>): ReactNode {
  const { data, trouble, isOld, retry } = read;
  if (data === undefined)
    return trouble ? <TroubleNote trouble={trouble} onRetry={retry} /> : <Skeleton {...skeleton} />;
  const isBare = isEmpty?.(data) ?? false;
  return (
    <>
      {trouble && <TroubleNote trouble={trouble} onRetry={retry} isNarrow />}
      <div className={classes(isOld && styles['old'])} aria-busy={isOld || undefined}>
        {isBare ? nothingMatches || empty : children(data)}
      </div>
    </>
  );
}

interface TroubleNoteProps {
  trouble: Trouble;
  onRetry?: () => void;
  /** One line above data that stays. */
  isNarrow?: boolean;
}

export function TroubleNote({ trouble, onRetry, isNarrow = false }: TroubleNoteProps): ReactNode {
  const Icon = trouble.isBusy ? Clock : CircleAlert;
  return (
    <div
      role={trouble.isBusy ? 'status' : 'alert'}
      className={classes(styles['trouble'], trouble.isBusy && styles['busy'], isNarrow && styles['narrow'])}
    >
      <Icon size={18} aria-hidden />
      <div className={styles['words']}>
        <p className={styles['what']}>{trouble.title}</p>
        {trouble.detail && <p>{trouble.detail}</p>}
      </div>
      {onRetry && (
        <Button icon={RotateCw} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}

/** The text where nothing is there. */
export function Empty({ title, children, actions }: EmptyProps): ReactNode {
  return (
    <div className={styles['empty']}>
      <p className={styles['what']}>{title}</p>
      {children}
      {actions && <div className={styles['actions']}>{actions}</div>}
    </div>
  );
}
