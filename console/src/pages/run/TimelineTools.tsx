import type { ReactNode } from 'react';
import { Button, countText, durationText, Field, Select, wordsOf } from '../../design/index.ts';
import type { RunSearch } from './runSearch.ts';
import styles from './Timeline.module.css';
import type { TimelineView } from './useTimeline.ts';

interface TimelineToolsProps {
  view: TimelineView;
  search: RunSearch;
  onChange: (search: RunSearch) => void;
  isPartial: boolean;
}

/** The filters of the timeline, and how many steps they leave. */
export function TimelineTools({ view, search, onChange, isPartial }: TimelineToolsProps): ReactNode {
  const { kinds, attemptCounts, axis } = view;
  return (
    <div className={styles['tools']}>
      <Field
        label="Find a step"
        isBare
        type="search"
        placeholder="Find a step"
        value={search.find ?? ''}
        onChange={(event) => onChange({ ...search, find: event.target.value || undefined })}
      />
      <Select
        label="Which steps"
        isBare
        value={search.only ?? ''}
        options={[
          { value: '', label: 'All steps' },
          { value: 'failed', label: 'Failed' },
          { value: 'unfinished', label: 'Unfinished' },
        ]}
        onChoose={(value) => onChange({ ...search, only: value || undefined })}
      />
      {kinds.length > 1 && (
        <Select
          label="Kind"
          isBare
          value={search.kind ?? ''}
          options={[{ value: '', label: 'All kinds' }, ...kinds.map((value) => ({ value, label: wordsOf(value) }))]}
          onChoose={(value) => onChange({ ...search, kind: value || undefined })}
        />
      )}
      {attemptCounts.length > 0 && (
        <Select
          label="Attempts"
          isBare
          value={search.attempts ?? ''}
          options={[
            { value: '', label: 'Any attempts' },
            ...attemptCounts.map((count) => ({ value: String(count), label: `${count} attempts or more` })),
          ]}
          onChoose={(value) => onChange({ ...search, attempts: value || undefined })}
        />
      )}
      {axis.canFold && (
        <Button
          aria-pressed={axis.isFolded}
          onClick={() => onChange({ ...search, fold: axis.isFolded ? 'off' : 'on' })}
        >
          {axis.isFolded ? 'Show waits in full' : 'Fold long waits'}
        </Button>
      )}
      <span className={styles['count']} role="status" aria-busy={view.isMoving}>
        {countOf(view, isPartial)}
      </span>
    </div>
  );
}

function countOf({ all, found, range, wholeAxis }: TimelineView, isPartial: boolean): string {
  const steps = all.length === 1 ? 'step' : 'steps';
  const shown = found.length === all.length ? '' : `${countText(found.length)} of `;
  const since = (ms: number): string => durationText(ms - wholeAxis.fromMs);
  const time = range ? `, ${since(range.fromMs)} to ${since(range.toMs)}` : '';
  return `${shown}${countText(all.length)} ${steps}${isPartial ? ' so far…' : ''}${time}`;
}
