import { type ReactNode, useEffect, useState } from 'react';
import styles from './Skeleton.module.css';

interface SkeletonProps {
  rows?: number;
  /** The height of a row, so that the page does not jump when the answer arrives. */
  height?: string;
}

/** Grey rows of the final height. They show after 150 ms, so a fast answer never flickers. */
export function Skeleton({ rows = 3, height = 'var(--row)' }: SkeletonProps): ReactNode {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label="Loading" className={isShown ? undefined : styles['hidden']}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike.
        <div key={index} className={styles['row']} style={{ height }}>
          <span style={{ width: `${[62, 44, 78, 53][index % 4]}%` }} />
        </div>
      ))}
    </div>
  );
}
