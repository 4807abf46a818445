import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from './Button.tsx';
import styles from './Dialog.module.css';
import { Dialog, type DialogProps } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { type Trouble, TroubleNote } from './Panel.tsx';

interface ConfirmProps extends Pick<DialogProps, 'title' | 'description' | 'children' | 'size'> {
  /** The text of the button that does the deed. */
  verb: string;
  icon?: LucideIcon;
  /** The text of the button that does not. */
  keep?: string;
  kind?: 'danger' | 'primary';
  /** Why the deed may not be done yet. */
  refusal?: string | undefined;
  /** The person types this text first. */
  typed?: string;
  act: { isBusy: boolean; trouble?: Trouble | undefined };
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before a deed that others notice. The error of the deed stays in the dialog. */
export function Confirm(props: ConfirmProps): ReactNode {
  const {
    verb,
    icon,
    keep = 'Keep as it is',
    kind = 'danger',
    refusal,
    typed,
    act,
    onConfirm,
    onClose,
    children,
  } = props;
  const [text, setText] = useState('');
  const hasBody = Boolean(act.trouble || children) || typed !== undefined;
  const isUntyped = typed !== undefined && text.trim() !== typed;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={props.title}
      description={props.description}
      size={props.size ?? 'small'}
      footer={
        <>
          <Button onClick={onClose}>{keep}</Button>
          <Button
            kind={kind}
            icon={icon}
            refusal={isUntyped ? `type “${typed}” first` : refusal}
            isBusy={act.isBusy}
            onClick={onConfirm}
          >
            {verb}
          </Button>
        </>
      }
    >
      {hasBody && (
        <>
          {act.trouble && (
            <div className={styles['trouble']}>
              <TroubleNote trouble={act.trouble} isNarrow />
            </div>
          )}
          {children}
          {typed !== undefined && (
            <Field
              label={`Type ${typed} to confirm`}
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </>
      )}
    </Dialog>
  );
}
