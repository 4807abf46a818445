import type { LucideIcon } from 'lucide-react';
import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';

const MenuBase = lazy(() => import('./MenuBase.tsx'));

export interface MenuEntry {
  label: string;
  icon?: LucideIcon;
  onSelect: () => void;
  isDanger?: boolean;
  /** Why it may not be used now. */
  refusal?: string | undefined;
  /** Marks the chosen one of several. */
  isChosen?: boolean;
}

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement<{ onClick?: () => void }>;
  entries: readonly MenuEntry[];
  align?: 'start' | 'end';
}

/** A menu of actions behind a button. */
export function Menu(props: MenuProps): ReactNode {
  const [isWanted, setWanted] = useState(false);
  const button = cloneElement(props.trigger, {
    ...{ 'aria-haspopup': 'menu', 'aria-expanded': false },
    onClick: () => setWanted(true),
  });
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <MenuBase {...props} />
    </Suspense>
  );
}
