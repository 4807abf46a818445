import { useSyncExternalStore } from 'react';

/** The service's clock minus the browser's, in ms: countdowns follow the service. */
let aheadMs = 0;

/** Adopts the time of an answer of the service. Its `Date` has whole seconds. */
export function adoptServiceTime(dateHeader: string | null, receivedAt = Date.now()): void {
  const served = dateHeader ? Date.parse(dateHeader) : Number.NaN;
  if (Number.isNaN(served)) return;
  const ahead = served + 500 - receivedAt;
  // A small difference is the way of the answer.
  aheadMs = Math.abs(ahead) < 2_000 ? 0 : ahead;
}

/** Now, by the service's clock. */
export const serviceNow = (): number => Date.now() + aheadMs;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let tick = Math.floor(Date.now() / 1000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick = Math.floor(serviceNow() / 1000);
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Now in ms, renewed once a second by one timer for the whole page. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => tick);
  return serviceNow();
}

const idle = (): (() => void) => () => {};

/** Like `useNow` while `isTicking`; a settled row renders no more. */
export function useNowWhile(isTicking: boolean): number {
  useSyncExternalStore(isTicking ? subscribe : idle, () => (isTicking ? tick : 0));
  return serviceNow();
}
