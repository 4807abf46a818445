import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { onFirstToast } from './toasts.ts';

const ToastBase = lazy(() => import('./ToastBase.tsx'));

/** The place of the toasts, once in the page. */
export function Toasts(): ReactNode {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => onFirstToast(() => setWanted(true)), []);
  return isWanted ? (
    <Suspense>
      <ToastBase />
    </Suspense>
  ) : null;
}
