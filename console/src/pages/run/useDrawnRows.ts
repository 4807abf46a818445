import type { VirtualItem } from '@tanstack/react-virtual';
import { type Key, type RefObject, useEffect, useLayoutEffect, useReducer, useRef } from 'react';

interface DrawnRows {
  /** The keys of the elements, by the key of the row. */
  keys: ReadonlyMap<Key, number>;
  /** Whether rows pass: no row stays in view from one frame to the next. */
  isFast: boolean;
}

/** Jumps that follow each other within so many ms are one fast scroll. */
const fastMs = 120;

/**
 * The elements of rows in a box. A row keeps its element while it is drawn. Once a jump leaves
 * none of the rows, the new ones get the old elements, which costs less than new elements.
 * `onReuse` is called after that.
 */
export function useDrawnRows(
  items: readonly VirtualItem[],
  box: RefObject<HTMLElement | null>,
  onReuse?: () => void,
): DrawnRows {
  const keys = useRef<ReadonlyMap<Key, number>>(new Map());
  const made = useRef(0);
  const before = keys.current;
  const isJump = items.length > 0 && before.size > 0 && !items.some(({ key }) => before.has(key));
  const free = isJump ? [...before.values()] : [];
  keys.current = new Map(items.map(({ key }, at) => [key, before.get(key) ?? free[at] ?? nextOf(made)]));
  const { jumps, isFast } = useJumps(isJump);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a reuse needs this.
  useLayoutEffect(() => {
    if (jumps === 0) return;
    // The focus does not pass to another row: without a reuse, its element would be gone.
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement !== box.current && box.current?.contains(activeElement))
      activeElement.blur();
    onReuse?.();
  }, [jumps]);
  return { keys: keys.current, isFast };
}

/** Counts the jumps, and tells whether they follow each other fast. Comes to rest by itself. */
function useJumps(isJump: boolean): { jumps: number; isFast: boolean } {
  const state = useRef({ jumps: 0, at: Number.NEGATIVE_INFINITY, isFast: false });
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  if (isJump) {
    const now = performance.now();
    const { jumps, at, isFast } = state.current;
    state.current = { jumps: jumps + 1, at: now, isFast: isFast || now - at < fastMs };
  }
  const { jumps, isFast } = state.current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each jump begins the time anew.
  useEffect(() => {
    if (!isFast) return;
    const timer = setTimeout(() => {
      state.current = { ...state.current, isFast: false };
      redraw();
    }, fastMs);
    return () => clearTimeout(timer);
  }, [isFast, jumps]);
  return { jumps, isFast };
}

function nextOf(made: { current: number }): number {
  made.current += 1;
  return made.current;
}
