import { Toast as Base } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Button } from './Button.tsx';
import { classes } from './classes.ts';
import styles from './Toast.module.css';
import { takeToasts } from './toasts.ts';

/** The toasts of `Toast.tsx`, loaded with the first one. */
export default function ToastBase(): ReactNode {
  return (
    <Base.Provider limit={3}>
      <Base.Portal>
        <Base.Viewport className={styles['place']}>
          <Shown />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Shown(): ReactNode {
  const { toasts, add } = Base.useToastManager();
  useEffect(
    () =>
      takeToasts(({ title, detail, isFailure }) => {
        add({
          title,
          description: detail,
          type: isFailure ? 'failure' : 'success',
          priority: isFailure ? 'high' : 'low',
          timeout: isFailure ? 0 : 5000,
        });
      }),
    [add],
  );
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      className={classes(styles['toast'], toast.type === 'failure' && styles['failure'])}
    >
      <div className={styles['text']}>
        <Base.Title className={styles['title']} />
        <Base.Description className={styles['detail']} />
      </div>
      <Base.Close
        render={
          <Button kind="quiet" icon={X} isIconOnly>
            Close
          </Button>
        }
      />
    </Base.Root>
  ));
}
