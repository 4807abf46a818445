import type { VirtualItem } from '@tanstack/react-virtual';
import { type Key, type RefObject, useEffect, useLayoutEffect, useReducer, useRef } from 'react';

/** How a box scrolls. A render changes it, once it has found a jump. */
interface FastScroll {
  /** Whether jumps follow each other, so that rows pass and no more than their text can be seen. */
  isFast: boolean;
  jumps: number;
  jumpedAt: number;
}

/** Jumps within so many ms are one fast scroll. */
const fastMs = 120;

/** The scroll of a box of rows. It comes to rest by itself, and is drawn once more then. */
export function useFastScroll(): FastScroll {
  const scroll = useRef<FastScroll>({ isFast: false, jumps: 0, jumpedAt: Number.NEGATIVE_INFINITY }).current;
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  // Each jump begins the time anew.
  useEffect(() => {
    if (!scroll.isFast) return;
    const rest = (): void => {
      scroll.isFast = false;
      redraw();
    };
    const timer = setTimeout(rest, fastMs - (performance.now() - scroll.jumpedAt));
    return () => clearTimeout(timer);
  });
  return scroll;
}

/**
 * The elements of rows in a box, by the keys of the rows. A row keeps its element while it is
 * drawn. Once a jump leaves none of the rows, the new ones get the old elements, which costs less
 * than new elements. `onReuse` is called after that.
 */
export function useDrawnRows(
  items: readonly VirtualItem[],
  box: RefObject<HTMLElement | null>,
  scroll: FastScroll,
  onReuse?: () => void,
): ReadonlyMap<Key, number> {
  const keys = useRef<ReadonlyMap<Key, number>>(new Map());
  const made = useRef(0);
  const before = keys.current;
  const isJump = items.length > 0 && before.size > 0 && !items.some(({ key }) => before.has(key));
  const free = isJump ? [...before.values()] : [];
  if (isJump) jump(scroll);
  keys.current = new Map(items.map(({ key }, at) => [key, before.get(key) ?? free[at] ?? nextOf(made)]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a reuse needs this.
  useLayoutEffect(() => {
    if (scroll.jumps === 0) return;
    // The focus does not pass to another row: without a reuse, its element would be gone.
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement !== box.current && box.current?.contains(activeElement))
      activeElement.blur();
    onReuse?.();
  }, [scroll.jumps]);
  return keys.current;
}

function jump(scroll: FastScroll): void {
  const now = performance.now();
  scroll.isFast ||= now - scroll.jumpedAt < fastMs;
  scroll.jumps += 1;
  scroll.jumpedAt = now;
}

function nextOf(made: { current: number }): number {
  made.current += 1;
  return made.current;
}
