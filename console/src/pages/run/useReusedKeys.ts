import type { VirtualItem } from '@tanstack/react-virtual';
import { type Key, type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Keys for the elements of rows in a box. A row keeps its element while it is drawn. Once a jump
 * leaves none of the rows, the new ones get the old elements, which costs less than new elements.
 * `onReuse` is called after that.
 */
export function useReusedKeys(
  items: readonly VirtualItem[],
  box: RefObject<HTMLElement | null>,
  onReuse?: () => void,
): ReadonlyMap<Key, number> {
  const keys = useRef<ReadonlyMap<Key, number>>(new Map());
  const made = useRef(0);
  const reuses = useRef(0);
  const before = keys.current;
  const isJump = items.length > 0 && before.size > 0 && !items.some(({ key }) => before.has(key));
  const free = isJump ? [...before.values()] : [];
  if (isJump) reuses.current += 1;
  keys.current = new Map(items.map(({ key }, at) => [key, before.get(key) ?? free[at] ?? nextOf(made)]));
  const generation = reuses.current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a reuse needs this.
  useLayoutEffect(() => {
    if (generation === 0) return;
    // The focus does not pass to another row: without a reuse, its element would be gone.
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement !== box.current && box.current?.contains(activeElement))
      activeElement.blur();
    onReuse?.();
  }, [generation]);
  return keys.current;
}

function nextOf(made: { current: number }): number {
  made.current += 1;
  return made.current;
}
