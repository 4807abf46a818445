import type { ReactNode } from 'react';
import styles from './PageHead.module.css';

interface PageHeadProps {
  title: ReactNode;
  /** The link to the list that the page belongs to. */
  above?: ReactNode;
  /** Badges beside the title. */
  beside?: ReactNode;
  /** A line below the title. */
  below?: ReactNode;
  /** Controls at the right. */
  actions?: ReactNode;
}

/** The head of a page: its name, what it is part of, and its controls. */
export function PageHead({ title, above, beside, below, actions }: PageHeadProps): ReactNode {
  return (
    <header className={styles['head']}>
      <div className={styles['words']}>
        {above && <p className={styles['above']}>{above}</p>}
        <div className={styles['line']}>
          <h1>{title}</h1>
          {beside}
        </div>
        {below && <div className={styles['below']}>{below}</div>}
      </div>
      {actions && <div className={styles['actions']}>{actions}</div>}
    </header>
  );
}

/** Panels one below the other, with even gaps. */
export const Stack = ({ children }: { children: ReactNode }): ReactNode => (
  <div className={styles['stack']}>{children}</div>
);

/** A wide part and a narrow one side by side; one below the other where there is no room. */
export const Columns = ({ children }: { children: ReactNode }): ReactNode => (
  <div className={styles['columns']}>{children}</div>
);
