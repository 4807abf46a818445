import { ZoomOut } from 'lucide-react';
import { type PointerEvent, type ReactNode, useMemo, useRef } from 'react';
import { Button, durationText } from '../../design/index.ts';
import { density, parts } from './density.ts';
import type { Bar } from './lanes.ts';
import styles from './Minimap.module.css';
import type { TimeAxis, TimeRange } from './timeAxis.ts';
import { afterKey, dragFrom, type Span, wholeSpan } from './timeRange.ts';

interface MinimapProps {
  /** The axis of the whole run. */
  axis: TimeAxis;
  bars: readonly Bar[];
  range: TimeRange | undefined;
  onMove: (range: TimeRange | undefined) => void;
  /** The movement has ended. */
  onSettle: () => void;
}

const ends = [
  { end: 'from', label: 'Start of the time shown' },
  { end: 'to', label: 'End of the time shown' },
] as const;

const help = 'Drag, or use the arrow keys; with Shift both ends move. Escape shows the whole run.';

/** The whole run in one strip. Its two ends, a drag and the arrow keys choose a range of time. */
export function Minimap({ axis, bars, range, onMove, onSettle }: MinimapProps): ReactNode {
  const strip = useRef<HTMLDivElement>(null);
  const drag = useRef<(at: number) => Span>(undefined);
  const drawn = useMemo(() => density(bars, axis), [bars, axis]);
  const span = range ? { from: axis.place(range.fromMs), to: axis.place(range.toMs) } : wholeSpan;
  const show = ({ from, to }: Span): void => {
    const isWhole = from <= 0 && to >= 1;
    onMove(isWhole ? undefined : { fromMs: axis.instant(from), toMs: to >= 1 ? Infinity : axis.instant(to) });
  };
  const placeOf = ({ clientX }: PointerEvent): number => {
    const box = strip.current?.getBoundingClientRect();
    return box ? (clientX - box.left) / box.width : 0;
  };
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const end = event.target instanceof HTMLElement ? event.target.dataset['end'] : undefined;
    drag.current = dragFrom(span, placeOf(event), end);
    strip.current?.setPointerCapture(event.pointerId);
  };
  const release = (): void => {
    drag.current = undefined;
    onSettle();
  };
  const showWhole = (): void => {
    onMove(undefined);
    onSettle();
  };
  return (
    <div className={styles['minimap']}>
      <div className={styles['words']}>
        {range ? (
          <Button icon={ZoomOut} onClick={showWhole}>
            Whole run
          </Button>
        ) : (
          <span className={styles['hint']}>Drag to narrow the time</span>
        )}
      </div>
      <div
        ref={strip}
        className={styles['strip']}
        onPointerDown={press}
        onPointerMove={(event) => drag.current && show(drag.current(placeOf(event)))}
        onPointerUp={release}
        onPointerCancel={release}
      >
        <svg viewBox={`0 0 ${parts} 1`} preserveAspectRatio="none" aria-hidden>
          <path className={styles['waits']} d={drawn.wait} />
          <path className={styles['work']} d={drawn.work} />
          <path className={styles['failed']} d={drawn.failed} />
        </svg>
        {range && (
          <>
            <div className={styles['outside']} style={{ left: 0, right: `${(1 - span.from) * 100}%` }} />
            <div className={styles['outside']} style={{ left: `${span.to * 100}%`, right: 0 }} />
          </>
        )}
        <div
          className={styles['window']}
          style={{ left: `${span.from * 100}%`, right: `${(1 - span.to) * 100}%` }}
          data-is-part={range ? '' : undefined}
        />
        {ends.map(({ end, label }) => {
          const ms = Math.round(axis.instant(span[end]) - axis.fromMs);
          return (
            <div
              key={end}
              role="slider"
              tabIndex={0}
              className={styles['end']}
              data-end={end}
              style={{ left: `${span[end] * 100}%` }}
              title={help}
              aria-label={label}
              aria-valuemin={0}
              aria-valuemax={Math.round(axis.toMs - axis.fromMs)}
              aria-valuenow={ms}
              aria-valuetext={`${durationText(ms)} after the start`}
              onKeyDown={(event) => {
                const next = afterKey(span, end, event);
                if (!next) return;
                event.preventDefault();
                show(next);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}
