import { useSyncExternalStore } from 'react';

/** The width of a phone; style sheets use the same. */
const narrow = (): MediaQueryList => matchMedia('(max-width: 40rem)');

function subscribe(listener: () => void): () => void {
  const query = narrow();
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether the screen is that narrow, for parts that need other elements then. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow().matches);
