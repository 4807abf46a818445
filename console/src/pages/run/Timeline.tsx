import { type ReactNode, useMemo, useState } from 'react';
import { Empty, useNowWhile } from '../../design/index.ts';
import { Lanes } from './Lanes.tsx';
import { type Bar, foldRepeats, type Step } from './lanes.ts';
import { Minimap } from './Minimap.tsx';
import type { RunSearch } from './runSearch.ts';
import styles from './Timeline.module.css';
import { TimelineTools } from './TimelineTools.tsx';
import { timelineRows } from './timelineRows.ts';
import { useAttempts } from './useAttempts.ts';
import { useChildSteps } from './useChildSteps.ts';
import type { RunHead } from './useRun.ts';
import { useTimeline } from './useTimeline.ts';

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
  const view = useTimeline({ run, steps, search, onChange, endMs });
  const { all, found, bars, range, move, settle } = view;
  const lanes = useMemo(() => foldRepeats(found, open), [found, open]);
  return (
    <>
      <TimelineTools view={view} search={search} onChange={onChange} isPartial={isPartial} />
      <div className={styles['timeline']}>
        {(bars.length >= mapFrom || range) && (
          <Minimap axis={view.wholeAxis} bars={bars} range={range} onMove={move} onSettle={settle} />
        )}
        {lanes.length === 0 ? (
          <Empty title={all.length === 0 ? 'No step has begun yet' : 'No step matches'} />
        ) : (
          <Lanes
            rows={timelineRows(lanes, { children, attempts }, endMs)}
            axis={view.axis}
            chosen={search.step}
            queued={queuedBar(run, endMs)}
            onNarrow={(next) => {
              move(next);
              settle();
            }}
            onChoose={(step) => onChange({ ...search, step })}
            open={open}
            onToggle={(name) => setOpen(toggled(open, name))}
            unfolded={unfolded}
            onUnfold={(id) => setUnfolded(toggled(unfolded, id))}
            tried={tried}
            onTries={(key) => setTried(toggled(tried, key))}
          />
        )}
      </div>
    </>
  );
}

/** A run of so many bars has a minimap. */
const mapFrom = 8;

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
