import { sum } from '../stats.ts';

/** Scrolls the box of this selector to its end within two seconds, frame by frame. */
export const scroll = (selector: string): string => `new Promise((resolve) => {
  const box = document.querySelector(${JSON.stringify(selector)}).parentElement;
  const startedAt = performance.now();
  let most = 0;
  const frame = () => {
    const share = Math.min(1, (performance.now() - startedAt) / 2000);
    box.scrollTop = share * (box.scrollHeight - box.clientHeight);
    most = Math.max(most, document.querySelectorAll('*').length);
    if (share < 1) requestAnimationFrame(frame);
    else resolve({ ms: performance.now() - startedAt, nodes: most });
  };
  requestAnimationFrame(frame);
})`;

export interface Scrolled {
  ms: number;
  nodes: number;
}

/** The share of frames that came with the next refresh of the screen, in per cent. */
export const onTime = (frames: readonly number[]): number =>
  (sum(frames.map((ms) => (ms <= 17 ? 1 : 0))) / frames.length) * 100;
