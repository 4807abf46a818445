import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './Chip.module.css';
import { visibleText } from './visibleText.ts';

interface ChipProps {
  /** The name of a filter, or the key of a tag. */
  name?: string;
  value: string;
  onRemove?: () => void;
}

/** A filter or a tag: `name value`, with a button that removes it. */
export function Chip({ name, value, onRemove }: ChipProps): ReactNode {
  const label = name ? `${name}: ${value}` : value;
  return (
    <span className={styles['chip']} title={visibleText(label)}>
      {name && <span className={styles['name']}>{visibleText(name)}</span>}
      <span className={styles['value']}>{visibleText(value)}</span>
      {onRemove && (
        <button
          type="button"
          className={styles['remove']}
          aria-label={`Remove ${visibleText(label)}`}
          onClick={onRemove}
        >
          <X size={13} aria-hidden />
        </button>
      )}
    </span>
  );
}

interface TagsProps {
  tags: Readonly<Record<string, string>> | null | undefined;
  /** Tags beyond this number are counted. */
  limit?: number;
}

/** The tags of a run, the first of them in full. */
export function Tags({ tags, limit = 2 }: TagsProps): ReactNode {
  const entries = Object.entries(tags ?? {});
  if (entries.length === 0) return null;
  const rest = entries.slice(limit);
  return (
    <span className={styles['tags']}>
      {entries.slice(0, limit).map(([key, value]) => (
        <Chip key={key} name={key} value={value} />
      ))}
      {rest.length > 0 && (
        <span className={styles['more']} title={visibleText(rest.map(([key, value]) => `${key}: ${value}`).join(', '))}>
          +{rest.length}
        </span>
      )}
    </span>
  );
}
