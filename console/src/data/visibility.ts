/** A hidden tab keeps its subscriptions this long. */
const patienceMs = 60_000;

let isAway = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function update(): void {
  clearTimeout(timer);
  if (document.visibilityState === 'visible') set(false);
  else timer = setTimeout(() => set(true), patienceMs);
}

function set(next: boolean): void {
  if (isAway === next) return;
  isAway = next;
  for (const each of listeners) each();
}

/** Whether the tab has been hidden for a minute. */
export const isTabAway = (): boolean => isAway;

export function onTabAway(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener('visibilitychange', update);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener('visibilitychange', update);
    clearTimeout(timer);
  };
}
