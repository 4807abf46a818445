import { X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { classes } from './classes.ts';
import styles from './Toast.module.css';
import { type ToastText, takeToasts } from './toasts.ts';

interface Shown extends ToastText {
  id: number;
}

const shownMs = 5_000;
const maxShown = 3;
let count = 0;

/** The place of the toasts, once in the page. A failure stays until it is closed. */
export function Toasts(): ReactNode {
  const [toasts, setToasts] = useState<readonly Shown[]>([]);
  const close = (id: number): void => setToasts((all) => all.filter((toast) => toast.id !== id));
  useEffect(() => {
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const stop = takeToasts((toast) => {
      count += 1;
      const id = count;
      setToasts((all) => [...all, { ...toast, id }].slice(-maxShown));
      if (toast.isFailure) return;
      timers.add(setTimeout(() => setToasts((all) => all.filter((each) => each.id !== id)), shownMs));
    });
    return () => {
      stop();
      for (const timer of timers) clearTimeout(timer);
    };
  }, []);
  return (
    <div className={styles['place']} role="status" aria-live="polite">
      {toasts.map(({ id, title, detail, isFailure }) => (
        <div key={id} className={classes(styles['toast'], isFailure && styles['failure'])}>
          <div className={styles['text']}>
            <p className={styles['title']}>{title}</p>
            {detail && <p className={styles['detail']}>{detail}</p>}
          </div>
          <Button kind="quiet" icon={X} isIconOnly onClick={() => close(id)}>
            Close
          </Button>
        </div>
      ))}
    </div>
  );
}
