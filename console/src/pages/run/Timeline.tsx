import { type ReactNode, useMemo, useState } from 'react';
import { Button, Empty, Field, Select, useNowWhile, wordsOf } from '../../design/index.ts';
import { Lanes } from './Lanes.tsx';
import { attemptFilters, type Bar, filterLanes, foldRepeats, lanesOf, type Step } from './lanes.ts';
import type { RunSearch } from './runSearch.ts';
import styles from './Timeline.module.css';
import { timeAxis } from './timeAxis.ts';
import { timelineRows } from './timelineRows.ts';
import { useAttempts } from './useAttempts.ts';
import { useChildSteps } from './useChildSteps.ts';
import type { RunHead } from './useRun.ts';

interface TimelineProps {
  run: RunHead;
  steps: readonly Step[];
  search: RunSearch;
  onChange: (search: RunSearch) => void;
  isPartial: boolean;
}

/** A row for each step, with bars on one time axis. */
export function Timeline({ run, steps, search, onChange, isPartial }: TimelineProps): ReactNode {
  const now = useNowWhile(run.endedAt == null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState<ReadonlySet<string>>(new Set());
  const children = useChildSteps(unfolded);
  const attempts = useAttempts(run.id, tried);
  const endMs = run.endedAt ? Date.parse(run.endedAt) : now;
  const all = useMemo(() => lanesOf(steps, endMs), [steps, endMs]);
  const { only, find, kind } = search;
  const least = search.attempts === undefined ? undefined : Number(search.attempts);
  const lanes = useMemo(
    () => foldRepeats(filterLanes(all, { only, find, kind, attempts: least }), open),
    [all, only, find, kind, least, open],
  );
  const createdMs = Date.parse(run.createdAt);
  const axis = useMemo(
    () =>
      timeAxis(
        { fromMs: createdMs, toMs: Math.max(endMs, ...all.map(({ toMs }) => toMs)) },
        all.flatMap(({ bars }) => bars),
        search.fold,
      ),
    [createdMs, endMs, all, search.fold],
  );
  const counts = useMemo(() => attemptFilters(all, least), [all, least]);
  const kinds = useMemo(() => [...new Set(all.map((lane) => lane.kind))].sort(), [all]);
  return (
    <>
      <div className={styles['tools']}>
        <Field
          label="Find a step"
          isBare
          type="search"
          placeholder="Find a step"
          value={find ?? ''}
          onChange={(event) => onChange({ ...search, find: event.target.value || undefined })}
        />
        <Select
          label="Which steps"
          isBare
          value={only ?? ''}
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
            value={kind ?? ''}
            options={[{ value: '', label: 'All kinds' }, ...kinds.map((value) => ({ value, label: wordsOf(value) }))]}
            onChoose={(value) => onChange({ ...search, kind: value || undefined })}
          />
        )}
        {counts.length > 0 && (
          <Select
            label="Attempts"
            isBare
            value={search.attempts ?? ''}
            options={[
              { value: '', label: 'Any attempts' },
              ...counts.map((count) => ({ value: String(count), label: `${count} attempts or more` })),
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
        <span className={styles['count']} role="status">
          {isPartial ? `${all.length} steps so far…` : `${all.length} ${all.length === 1 ? 'step' : 'steps'}`}
        </span>
      </div>
      {lanes.length === 0 ? (
        <Empty title={all.length === 0 ? 'No step has begun yet' : 'No step matches'} />
      ) : (
        <Lanes
          rows={timelineRows(lanes, { children, attempts }, endMs)}
          axis={axis}
          chosen={search.step}
          queued={queuedBar(run, endMs)}
          onChoose={(step) => onChange({ ...search, step })}
          open={open}
          onToggle={(name) => setOpen(toggled(open, name))}
          unfolded={unfolded}
          onUnfold={(id) => setUnfolded(toggled(unfolded, id))}
          tried={tried}
          onTries={(key) => setTried(toggled(tried, key))}
        />
      )}
    </>
  );
}

function toggled(open: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(name)) next.add(name);
  return next;
}

const queuedBar = (run: RunHead, endMs: number): Bar => ({
  kind: 'queued',
  status: 'QUEUED',
  fromMs: Date.parse(run.createdAt),
  toMs: run.startedAt ? Date.parse(run.startedAt) : endMs,
  attempt: 1,
});
