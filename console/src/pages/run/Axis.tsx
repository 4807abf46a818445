import { type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { classes } from '../../design/index.ts';
import styles from './Timeline.module.css';
import type { TimeAxis, TimeRange } from './timeAxis.ts';
import { dragFrom, type Span, wholeSpan } from './timeRange.ts';

interface AxisProps {
  axis: TimeAxis;
  onNarrow: (range: TimeRange) => void;
}

/**
 * The marks of the time that is shown. A drag across them narrows it further than the ends of the
 * minimap, which do the same for the keyboard.
 */
export function Axis({ axis, onNarrow }: AxisProps): ReactNode {
  const scale = useRef<HTMLDivElement>(null);
  const drag = useRef<(at: number) => Span>(undefined);
  const [span, setSpan] = useState<Span>(wholeSpan);
  const isDrawn = span !== wholeSpan;
  const placeOf = ({ clientX }: PointerEvent): number => {
    const box = scale.current?.getBoundingClientRect();
    return box ? (clientX - box.left) / box.width : 0;
  };
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    drag.current = dragFrom(wholeSpan, placeOf(event), undefined);
    scale.current?.setPointerCapture(event.pointerId);
  };
  const release = (): void => {
    drag.current = undefined;
    setSpan(wholeSpan);
    const range = { fromMs: axis.instant(span.from), toMs: axis.instant(span.to) };
    if (isDrawn && range.toMs - range.fromMs >= 1) onNarrow(range);
  };
  return (
    <div className={styles['axis']} aria-hidden>
      <span />
      <div
        ref={scale}
        className={styles['scale']}
        onPointerDown={press}
        onPointerMove={(event) => drag.current && setSpan(drag.current(placeOf(event)))}
        onPointerUp={release}
        onPointerCancel={release}
      >
        {axis.marks.map(({ at, label, isFold }) => (
          <span
            key={`${at} ${label}`}
            className={classes(styles['mark'], isFold && styles['fold-mark'])}
            style={{ left: `${at * 100}%` }}
          >
            {label}
          </span>
        ))}
        {isDrawn && (
          <span className={styles['drawn']} style={{ left: `${span.from * 100}%`, right: `${(1 - span.to) * 100}%` }} />
        )}
      </div>
      <span />
    </div>
  );
}
