import type { ReactNode } from 'react';
import styles from './Code.module.css';
import { Copy } from './Copy.tsx';
import { visibleText } from './visibleText.ts';

interface CodeProps {
  text: string;
  /** The name of the code in the label of the copy button. */
  what?: string;
  /** Long lines break instead of scrolling. */
  isWrapped?: boolean;
}

/** A short text as it is: a stack, a command, a header. Payloads have a viewer of their own. */
export function Code({ text, what, isWrapped = false }: CodeProps): ReactNode {
  return (
    <div className={styles['frame']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls needs the keyboard. */}
      <pre className={isWrapped ? styles['wrapped'] : styles['code']} tabIndex={0}>
        <code>{text.split('\n').map(visibleText).join('\n')}</code>
      </pre>
      {what && (
        <div className={styles['copy']}>
          <Copy text={text} what={what} />
        </div>
      )}
    </div>
  );
}
