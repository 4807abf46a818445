import { Check, Copy as CopyIcon } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import styles from './Copy.module.css';
import { visibleText } from './visibleText.ts';

interface CopyProps {
  text: string;
  /** The name of the copied text in the label: `Copy run id`. */
  what: string;
  /** Shows a text beside the icon. */
  label?: string;
}

/** A button that copies a text. */
export function Copy({ text, what, label }: CopyProps): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <Button kind={label ? 'plain' : 'quiet'} icon={isCopied ? Check : CopyIcon} isIconOnly={!label} onClick={copy}>
      {label ? (isCopied ? 'Copied' : label) : isCopied ? 'Copied' : `Copy ${what}`}
    </Button>
  );
}

/** An id in full, cut in the middle by its box, with a button that copies it. */
export function Id({ id, what }: { id: string; what: string }): ReactNode {
  return (
    <span className={styles['id']} data-id>
      <code>{visibleText(id)}</code>
      <Copy text={id} what={what} />
    </span>
  );
}

/** The last part of an id, which tells ids of one list apart. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);
