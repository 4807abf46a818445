import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import styles from './Button.module.css';
import { classes } from './classes.ts';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: LucideIcon;
  /** The text; or, with `isIconOnly`, the label of the icon. */
  children: ReactNode;
  isIconOnly?: boolean;
  isBusy?: boolean;
  /** Why it may not be used now. The control stays focusable, so that the reason can be read. */
  refusal?: string | undefined;
}

/** A button. A refused one is shown with its reason instead of being hidden. */
export function Button({
  kind = 'plain',
  icon: Icon,
  children,
  isIconOnly = false,
  isBusy = false,
  refusal,
  className,
  onClick,
  title,
  ...rest
}: ButtonProps): ReactNode {
  const isInert = refusal !== undefined || isBusy;
  const label = isIconOnly && typeof children === 'string' ? children : rest['aria-label'];
  return (
    <button
      type="button"
      {...rest}
      className={classes(styles['button'], styles[kind], isIconOnly && styles['icon-only'], className)}
      aria-disabled={isInert || undefined}
      aria-busy={isBusy || undefined}
      aria-label={label}
      title={refusal ?? title ?? label}
      onClick={(event) => {
        if (isInert) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {Icon && <Icon size={15} aria-hidden className={isBusy ? styles['spinning'] : undefined} />}
      {!isIconOnly && <span>{children}</span>}
      {refusal !== undefined && <span className="unseen"> ({refusal})</span>}
    </button>
  );
}
