import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Chip } from './Chip.tsx';
import { Select } from './Field.tsx';
import styles from './Filters.module.css';
import { Empty } from './Panel.tsx';
import { visibleText } from './visibleText.ts';

/** A filter that is set, and how to drop it. */
export interface SetFilter {
  name: string;
  value: string;
  drop: () => void;
}

interface FiltersProps {
  /** The controls. */
  children: ReactNode;
  set: readonly SetFilter[];
  onClear: () => void;
}

/** The filters of a list: controls in a line, and those that are set as chips below. */
export function Filters({ children, set, onClear }: FiltersProps): ReactNode {
  return (
    <div className={styles['filters']}>
      <div className={styles['line']}>{children}</div>
      {set.length > 0 && (
        <div className={styles['chips']}>
          {set.map(({ name, value, drop }) => (
            <Chip key={`${name} ${value}`} name={name} value={value} onRemove={drop} />
          ))}
          <Button kind="quiet" onClick={onClear}>
            Clear filters
          </Button>
        </div>
      )}
    </div>
  );
}

/** The text where a list is empty because of its filters: which to drop. */
export function NothingMatches({ title, set }: { title: string; set: readonly SetFilter[] }): ReactNode {
  return (
    <Empty
      title={title}
      actions={set.map(({ name, value, drop }) => (
        <Button key={`${name} ${value}`} onClick={drop}>
          {`Drop ${name}: ${visibleText(value)}`}
        </Button>
      ))}
    />
  );
}

const ranges = [
  { value: '', label: 'Any time' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
];

interface SinceSelectProps {
  label: string;
  since: string | undefined;
  onChoose: (since: string | undefined) => void;
}

/** A choice of how far a list reaches back. An instant of the URL is one choice more. */
export function SinceSelect({ label, since = '', onChoose }: SinceSelectProps): ReactNode {
  const isKnown = ranges.some(({ value }) => value === since);
  return (
    <Select
      label={label}
      isBare
      value={since}
      options={isKnown ? ranges : [...ranges, { value: since, label: `Since ${since}` }]}
      onChoose={(value) => onChoose(value || undefined)}
    />
  );
}

interface ListEndProps {
  pages: { hasMore: boolean; isLoadingMore: boolean; loadMore: () => void };
  /** How many rows are shown, in words: `12 deliveries`. */
  shown: string;
}

/** The end of a list that grows page by page. */
export function ListEnd({ pages, shown }: ListEndProps): ReactNode {
  return (
    <div className={styles['end']}>
      <span role="status">{pages.hasMore ? `${shown} shown` : `${shown}: all that match`}</span>
      {pages.hasMore && (
        <Button isBusy={pages.isLoadingMore} onClick={pages.loadMore}>
          Show more
        </Button>
      )}
    </div>
  );
}
