import { describe, expect, it } from 'vitest';
import { density, parts } from './density.ts';
import { lanesOf, type Step } from './lanes.ts';
import { timeAxis } from './timeAxis.ts';
import { afterKey, dragFrom, movedBy, rangeText, readRange, spanBetween, wholeSpan, withEnd } from './timeRange.ts';

const part = { from: 0.2, to: 0.6 };
const key = (name: string, shiftKey = false) => ({ key: name, shiftKey });

describe('a range of the timeline', () => {
  it('is drawn between two places in any order, within the axis', () => {
    expect(spanBetween(0.7, 0.3)).toEqual({ from: 0.3, to: 0.7 });
    expect(spanBetween(-1, 2)).toEqual(wholeSpan);
    const narrow = spanBetween(0, 0.001);
    expect(narrow.from).toBe(0);
    expect(narrow.to).toBeGreaterThan(0.003);
  });

  it('has ends that do not pass each other', () => {
    expect(withEnd(part, 'from', 0.9).from).toBeLessThan(0.6);
    expect(withEnd(part, 'to', 0).to).toBeGreaterThan(0.2);
    expect(withEnd(part, 'to', 3)).toEqual({ from: 0.2, to: 1 });
    const narrow = { from: 0.5, to: 0.5001 };
    expect(withEnd(narrow, 'from', 0.5).from).toBeCloseTo(0.5);
    expect(withEnd(narrow, 'from', 0.50005).from).toBeCloseTo(0.5);
  });

  it('keeps its width where it is moved against an end of the axis', () => {
    expect(movedBy(part, 0.9).to).toBe(1);
    expect(movedBy(part, 0.9).from).toBeCloseTo(0.6);
    expect(movedBy(part, -0.9).from).toBeCloseTo(0);
  });

  it('moves with a drag inside of it, and is drawn anew by a drag outside', () => {
    expect(dragFrom(part, 0.4, undefined)(0.5).from).toBeCloseTo(0.3);
    expect(dragFrom(part, 0.8, undefined)(0.9)).toEqual({ from: 0.8, to: 0.9 });
    expect(dragFrom(wholeSpan, 0.4, undefined)(0.5)).toEqual({ from: 0.4, to: 0.5 });
    expect(dragFrom(part, 0.2, 'from')(0.1)).toEqual({ from: 0.1, to: 0.6 });
  });

  it('is not drawn by a press without a drag', () => {
    expect(dragFrom(wholeSpan, 0.4, undefined)(0.401)).toEqual(wholeSpan);
  });

  it('follows the arrow keys at one end, with Shift at both, and Escape leads to the whole', () => {
    expect(afterKey(part, 'from', key('ArrowRight'))?.from).toBeCloseTo(0.21);
    expect(afterKey(part, 'to', key('PageDown'))?.to).toBeCloseTo(0.5);
    expect(afterKey(part, 'to', key('End'))).toEqual({ from: 0.2, to: 1 });
    const moved = afterKey(part, 'from', key('ArrowRight', true));
    expect(moved?.to).toBeCloseTo(0.61);
    expect(afterKey(part, 'from', key('Escape'))).toEqual(wholeSpan);
    expect(afterKey(part, 'from', key('a'))).toBeUndefined();
  });

  it('stands in the address in ms since the run was made, and is held within the run', () => {
    const whole = { fromMs: 1_000_000, toMs: 1_009_000 };
    expect(rangeText({ fromMs: 1_001_200, toMs: 1_005_400.4 }, whole.fromMs)).toBe('1200-5400');
    expect(readRange('1200-5400', whole)).toEqual({ fromMs: 1_001_200, toMs: 1_005_400 });
    expect(readRange('8000-99999', whole)).toEqual({ fromMs: 1_008_000, toMs: 1_009_000 });
    expect(rangeText({ fromMs: 1_001_200, toMs: Infinity }, whole.fromMs)).toBe('1200-');
    expect(readRange('1200-', { ...whole, toMs: 1_070_000 })).toEqual({ fromMs: 1_001_200, toMs: 1_070_000 });
    for (const text of [undefined, '5400-1200', '9500-9900']) expect(readRange(text, whole)).toBeUndefined();
  });
});

describe('the outlines of a minimap', () => {
  const origin = Date.parse('2026-11-27T12:00:00Z');
  const at = (ms: number): string => new Date(origin + ms).toISOString();
  const step = (index: number, fromMs: number, toMs: number, status = 'SUCCEEDED', kind = 'RUN'): Step => ({
    ...{ index, attempt: 1, name: `s${index}`, kind, status },
    startedAt: at(fromMs),
    endedAt: at(toMs),
  });
  const drawn = (steps: Step[]) => {
    const bars = lanesOf(steps, origin + parts).flatMap((lane) => lane.bars);
    return density(bars, timeAxis({ fromMs: origin, toMs: origin + parts }, bars, 'off'));
  };

  it('are higher where more steps work at once', () => {
    const { work } = drawn([step(0, 0, 40), step(1, 20, 40)]);
    expect(work).toBe('M0 1V0.293H20V1ZM20 1V0.000H40V1Z');
  });

  it('are no higher for steps that follow each other in one part', () => {
    const wide = { fromMs: origin, toMs: origin + parts * 10 };
    const bars = lanesOf([step(0, 0, 5), step(1, 5, 10), step(2, 10, 12)], wide.toMs).flatMap((lane) => lane.bars);
    expect(density(bars, timeAxis(wide, bars, 'off')).work).toBe('M0 1V0.000H1V1ZM1 1V0.553H2V1Z');
  });

  it('show waits, and where attempts failed', () => {
    const { wait, failed } = drawn([step(0, 10, 20, 'SUCCEEDED', 'SLEEP'), step(1, 30, 40, 'FAILED')]);
    expect(wait).toBe('M10 1V0.000H20V1Z');
    expect(failed).toBe('M39 1V0.000H40V1Z');
  });

  it('stay short for thousands of steps', () => {
    const { work } = drawn(Array.from({ length: 10_000 }, (_, i) => step(i, i % parts, (i % parts) + (i % 7))));
    expect(work.length).toBeLessThan(parts * 30);
  });
});
