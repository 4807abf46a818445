import type { TimeRange } from './timeAxis.ts';

/** A range of an axis, in places from 0 to 1. */
export interface Span {
  from: number;
  to: number;
}

/** Both ends of the axis: nothing is left out. */
export const wholeSpan: Span = { from: 0, to: 1 };

/** No range that is chosen on the axis is narrower, or its ends could not be told apart. */
const narrowest = 0.004;

const clamped = (at: number): number => Math.min(1, Math.max(0, at));

/** The span between two places in any order. */
export function spanBetween(one: number, other: number): Span {
  const from = clamped(Math.min(one, other));
  const to = clamped(Math.max(one, other));
  const lack = Math.max(0, narrowest - (to - from));
  return { from: Math.max(0, from - lack), to: from - lack < 0 ? narrowest : to };
}

/** The span after one of its ends was moved. It does not pass the other one. */
export function withEnd(span: Span, end: keyof Span, at: number): Span {
  const room = Math.min(narrowest, span.to - span.from);
  return end === 'from'
    ? { ...span, from: clamped(Math.min(at, span.to - room)) }
    : { ...span, to: clamped(Math.max(at, span.from + room)) };
}

/** The span moved as it is, as far as the axis goes. */
export function movedBy({ from, to }: Span, by: number): Span {
  const held = Math.min(1 - to, Math.max(-from, by));
  return { from: from + held, to: to + held };
}

/**
 * What a drag does that begins at a place: it moves the end that it took, or the span that it is
 * in. Elsewhere, and on the whole axis, it draws another span.
 */
export function dragFrom(span: Span, start: number, end: string | undefined): (at: number) => Span {
  if (end === 'from' || end === 'to') return (at) => withEnd(span, end, at);
  const isWhole = span.from <= 0 && span.to >= 1;
  if (!isWhole && start >= span.from && start <= span.to) return (at) => movedBy(span, at - start);
  return (at) => (Math.abs(at - start) < narrowest ? span : spanBetween(start, at));
}

/** The span after a key was pressed on one of its ends; undefined if the key does nothing. */
export function afterKey(
  span: Span,
  end: keyof Span,
  { key, shiftKey }: { key: string; shiftKey: boolean },
): Span | undefined {
  if (key === 'Escape') return wholeSpan;
  if (key === 'Home') return withEnd(span, end, 0);
  if (key === 'End') return withEnd(span, end, 1);
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[key];
  if (steps === undefined) return undefined;
  const by = steps * Math.min(0.01, (span.to - span.from) / 10);
  return shiftKey ? movedBy(span, by) : withEnd(span, end, span[end] + by);
}

/**
 * A range as the URL has it: ms since the run was made, `1200-5400`. `1200-` has no end, so that it
 * goes on with a run that goes on.
 */
export function rangeText({ fromMs, toMs }: TimeRange, originMs: number): string {
  const to = Number.isFinite(toMs) ? Math.round(toMs - originMs) : '';
  return `${Math.round(fromMs - originMs)}-${to}`;
}

/** The range of the URL, as far as the run goes; undefined for the whole run. */
export function readRange(text: string | undefined, whole: TimeRange): TimeRange | undefined {
  const [from, to] = text?.split('-') ?? [];
  if (from === undefined) return undefined;
  return within({ fromMs: whole.fromMs + Number(from), toMs: to ? whole.fromMs + Number(to) : Infinity }, whole);
}

/** A range as far as the run goes; undefined if that leaves no time. */
export function within({ fromMs, toMs }: TimeRange, whole: TimeRange): TimeRange | undefined {
  const held = { fromMs: Math.max(whole.fromMs, fromMs), toMs: Math.min(whole.toMs, toMs) };
  return held.toMs > held.fromMs ? held : undefined;
}
