import { type ReactNode, useState } from 'react';
import { later } from './later.tsx';

const DialogBase = later(() => import('./DialogBase.tsx'));

export interface DialogProps {
  isOpen: boolean;
  /** Absent: the dialog closes only by its own buttons. */
  onClose?: (() => void) | undefined;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons, the confirming one last. */
  footer?: ReactNode;
  size?: 'small' | 'wide' | 'sheet';
}

/** A dialog over the page; `sheet` comes from the side. The focus returns to where it came from. */
export function Dialog(props: DialogProps): ReactNode {
  const [isWanted, setWanted] = useState(props.isOpen);
  if (props.isOpen && !isWanted) setWanted(true);
  if (!isWanted) return null;
  return <DialogBase {...props} />;
}
