import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Button } from './Button.tsx';
import { classes } from './classes.ts';
import styles from './Dialog.module.css';
import type { DialogProps } from './Dialog.tsx';

/** The dialog of `Dialog.tsx`, loaded when the first one opens. */
export default function DialogBase({
  isOpen,
  onClose,
  title,
  description,
  children,
  footer,
  size = 'small',
}: DialogProps): ReactNode {
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={isOpen}
      disablePointerDismissal={!onClose}
      onOpenChange={(open) => {
        if (!open) onClose?.();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={styles['scrim']} />
        <Base.Popup
          className={classes(styles['dialog'], styles[size])}
          initialFocus={() => body.current?.querySelector<HTMLElement>('input, textarea, select') ?? true}
        >
          <header className={styles['head']}>
            <div className={styles['titles']}>
              <Base.Title className={styles['title']}>{title}</Base.Title>
              {description && <Base.Description className={styles['description']}>{description}</Base.Description>}
            </div>
            {onClose && (
              <Button kind="quiet" icon={X} isIconOnly onClick={onClose}>
                Close
              </Button>
            )}
          </header>
          {children && (
            <div ref={body} className={styles['body']}>
              {children}
            </div>
          )}
          {footer && <footer className={styles['foot']}>{footer}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
