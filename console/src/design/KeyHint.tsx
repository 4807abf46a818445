import type { ReactNode } from 'react';
import styles from './KeyHint.module.css';

/** Keys of a shortcut, such as `Ctrl K`: each word is a key. */
export function KeyHint({ keys }: { keys: string }): ReactNode {
  return (
    <span className={styles['keys']}>
      {keys.split(' ').map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
