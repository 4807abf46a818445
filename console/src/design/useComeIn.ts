import { type RefObject, useEffect } from 'react';

interface ComeInOptions {
  /** How many rows wait to come in. */
  count: number;
  show: () => void;
  /** The list: neither pointer nor focus may be in it, so that nobody's target moves. */
  box: RefObject<HTMLElement | null>;
}

/** New rows come in by themselves while the page is at its top, and nobody points at the list. */
export function useComeIn({ count, show, box }: ComeInOptions): void {
  useEffect(() => {
    if (count === 0 || window.scrollY > 0) return;
    const element = box.current;
    if (!element || element.matches(':hover') || element.contains(document.activeElement)) return;
    show();
  });
}
