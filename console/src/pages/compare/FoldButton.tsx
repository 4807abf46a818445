import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './Compare.module.css';

interface FoldButtonProps {
  isOpen: boolean;
  onPress: () => void;
  children: ReactNode;
}

/** The name of a row, which opens and closes it. The whole row is its target. */
export function FoldButton({ isOpen, onPress, children }: FoldButtonProps): ReactNode {
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <button type="button" className={styles['fold']} aria-expanded={isOpen} data-row-link="" onClick={onPress}>
      <Icon size={15} aria-hidden />
      <span className={styles['name']}>{children}</span>
    </button>
  );
}
