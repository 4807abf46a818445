import type { ComponentProps, KeyboardEvent, ReactNode } from 'react';
import { PageLink } from './PageLink.tsx';
import styles from './RowLink.module.css';

/** The link of a row of a table. The whole row is its target. */
export function RowLink(props: Omit<ComponentProps<typeof PageLink>, 'className'>): ReactNode {
  return <PageLink {...props} className={styles['link']} data-row-link="" />;
}

/** A part of a row that is used for itself, above the link of the row. */
export const aboveRowLink = styles['above'];

/** Arrow keys move the focus from row to row: for the element around a table. */
export function moveRowFocus(event: KeyboardEvent<HTMLElement>): void {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
  const step = steps[event.key];
  if (step === undefined || event.target instanceof HTMLInputElement) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-link]')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = links[at === -1 ? 0 : at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
