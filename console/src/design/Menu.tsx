import type { LucideIcon } from 'lucide-react';
import { cloneElement, type KeyboardEvent, type ReactElement, type ReactNode, useId, useRef, useState } from 'react';
import { classes } from './classes.ts';
import styles from './Menu.module.css';

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
  trigger: ReactElement;
  entries: readonly MenuEntry[];
  align?: 'start' | 'end';
}

const gapPx = 6;

/**
 * A menu of actions behind a button, by the popover of the browser: it lies above all, closes by
 * Escape or a click elsewhere, and gives the focus back. The menu of Base UI weighs 26 kB.
 */
export function Menu({ trigger, entries, align = 'end' }: MenuProps): ReactNode {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const button = cloneElement(trigger as ReactElement<Record<string, unknown>>, {
    popoverTarget: id,
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
  });
  const opened = (next: boolean): void => {
    setOpen(next);
    if (next && menu.current) itemsOf(menu.current)[0]?.focus();
  };
  return (
    <>
      {button}
      <div
        id={id}
        ref={menu}
        popover="auto"
        role="menu"
        tabIndex={-1}
        className={styles['menu']}
        onBeforeToggle={({ newState }) => {
          if (newState === 'open' && menu.current) place(menu.current, id, align);
        }}
        onToggle={({ newState }) => opened(newState === 'open')}
        onKeyDown={moveFocus}
      >
        {entries.map((entry) => (
          <Entry key={entry.label} entry={entry} close={() => menu.current?.hidePopover()} />
        ))}
      </div>
    </>
  );
}

function Entry({ entry, close }: { entry: MenuEntry; close: () => void }): ReactNode {
  const { label, icon: Icon, onSelect, isDanger, refusal, isChosen } = entry;
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={refusal !== undefined || undefined}
      className={classes(styles['entry'], isDanger && styles['danger'])}
      onClick={() => {
        if (refusal !== undefined) return;
        close();
        onSelect();
      }}
    >
      {Icon ? <Icon size={15} aria-hidden /> : <span className={styles['space']} />}
      <span className={styles['label']}>
        {label}
        {refusal && <span className={styles['refusal']}>{refusal}</span>}
      </span>
      {isChosen && (
        <span>
          ✓<span className="unseen"> chosen</span>
        </span>
      )}
    </button>
  );
}

/** Puts the menu below its button, or above it where there is no room. */
function place(menu: HTMLElement, id: string, align: 'start' | 'end'): void {
  const button = document.querySelector(`[popovertarget="${CSS.escape(id)}"]`);
  if (!button) return;
  const { top, bottom, left, right } = button.getBoundingClientRect();
  const isBelow = bottom < window.innerHeight * 0.6;
  const width = document.documentElement.clientWidth;
  menu.style.top = isBelow ? `${bottom + gapPx}px` : 'auto';
  menu.style.bottom = isBelow ? 'auto' : `${window.innerHeight - top + gapPx}px`;
  // Near an edge, the menu grows towards the middle.
  const isFromRight = align === 'end' && right > width / 3;
  menu.style.right = isFromRight ? `${width - right}px` : 'auto';
  menu.style.left = isFromRight ? 'auto' : `${left}px`;
}

const itemsOf = (menu: HTMLElement): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = nextItem(event.key, at, items);
  if (event.key === 'Tab') event.currentTarget.hidePopover();
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function nextItem(key: string, at: number, items: readonly HTMLElement[]): HTMLElement | undefined {
  if (key === 'ArrowDown') return items[(at + 1) % items.length];
  if (key === 'ArrowUp') return items[(at - 1 + items.length) % items.length];
  if (key === 'Home') return items[0];
  if (key === 'End') return items[items.length - 1];
  if (key.length !== 1 || key === ' ') return undefined;
  const begins = (item: HTMLElement): boolean =>
    item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()) ?? false;
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(begins);
}
