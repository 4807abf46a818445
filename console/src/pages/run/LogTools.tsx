import { ArrowDownToLine } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PagedRead } from '../../data/queries.ts';
import { Button, Chip, Field, Select } from '../../design/index.ts';
import styles from './Logs.module.css';
import type { RunSearch } from './runSearch.ts';

interface LogToolsProps {
  search: RunSearch;
  onChange: (search: RunSearch) => void;
  pages: PagedRead<unknown>;
  /** The number of lines read so far. */
  count: number;
  isFollowing: boolean;
  onFollow: () => void;
  onJump: (to: 'first' | 'last') => void;
}

/** Filters, order and jumps of the log lines, and how many of them are there. */
export function LogTools(props: LogToolsProps): ReactNode {
  const { search, onChange, pages, count, isFollowing, onFollow, onJump } = props;
  const isFromFirst = search.from === 'first';
  return (
    <div className={styles['tools']}>
      <Field
        label="Find in the lines"
        isBare
        type="search"
        placeholder="Find in the lines"
        maxLength={256}
        value={search.find ?? ''}
        onChange={(event) => onChange({ ...search, find: event.target.value || undefined })}
      />
      <Select
        label="Level"
        isBare
        value={search.level ?? 'debug'}
        options={[
          { value: 'debug', label: 'All levels' },
          { value: 'info', label: 'Info and worse' },
          { value: 'warn', label: 'Warnings and errors' },
          { value: 'error', label: 'Errors' },
        ]}
        onChoose={(level) => onChange({ ...search, level: level === 'debug' ? undefined : level })}
      />
      <Select
        label="Order"
        isBare
        value={search.order ?? 'oldest'}
        options={[
          { value: 'oldest', label: 'Oldest first' },
          { value: 'newest', label: 'Newest first' },
        ]}
        onChoose={(order) => onChange({ ...search, order: order === 'oldest' ? undefined : order })}
      />
      {search.scope && (
        <Chip name="scope" value={search.scope} onRemove={() => onChange({ ...search, scope: undefined })} />
      )}
      <Button onClick={() => onJump('first')}>First line</Button>
      <Button onClick={() => onJump('last')}>Last line</Button>
      <Button icon={ArrowDownToLine} aria-pressed={isFollowing} onClick={onFollow}>
        Follow
      </Button>
      <span className={styles['count']} role="status">
        {!pages.isOld && (pages.hasMore ? `the ${isFromFirst ? 'first' : 'last'} ${count} lines` : `${count} lines`)}
      </span>
      {pages.hasMore && (
        <Button isBusy={pages.isLoadingMore} onClick={pages.loadMore}>
          {isFromFirst ? 'Later lines' : 'Older lines'}
        </Button>
      )}
    </div>
  );
}
