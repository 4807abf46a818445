import { Download, WrapText } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Button, bytesText, Copy, Skeleton } from '../design/index.ts';
import { indentLater } from './indentLater.ts';
import styles from './Payload.module.css';

const Editor = lazy(() => import('./Editor.tsx'));

interface PayloadProps {
  /** What it is: `input`, `result`. */
  what: string;
  /** The text of the payload, exactly as the service has it. */
  text: string;
}

/** Beyond this length the first part shows, and the rest by a click. */
const partLength = 256 * 1024;

/** A payload as text: folding, search (Ctrl F), copy, and a download of the exact text. */
export function Payload({ what, text }: PayloadProps): ReactNode {
  const [isWhole, setWhole] = useState(text.length <= partLength);
  const [isIndented, setIndented] = useState(true);
  const [shown, setShown] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    const part = isWhole ? text : text.slice(0, partLength);
    const made = isIndented ? indentLater(part) : Promise.resolve(part);
    void made.then((indented) => {
      if (isCurrent) setShown(indented);
    });
    return () => {
      isCurrent = false;
    };
  }, [text, isWhole, isIndented]);
  return (
    <section className={styles['payload']} aria-label={what}>
      <header className={styles['head']}>
        <h3>{what}</h3>
        <span className={styles['size']}>{bytesText(new TextEncoder().encode(text).length)}</span>
        <Button
          kind="quiet"
          icon={WrapText}
          isIconOnly
          aria-pressed={isIndented}
          onClick={() => setIndented(!isIndented)}
        >
          {isIndented ? 'Show as sent' : 'Indent'}
        </Button>
        <Copy text={text} what={what} />
        <Button kind="quiet" icon={Download} isIconOnly onClick={() => download(text, `${what}.json`)}>
          {`Download ${what}`}
        </Button>
      </header>
      {shown === undefined ? (
        <Skeleton rows={2} />
      ) : (
        <Suspense fallback={<pre className={styles['plain']}>{shown.slice(0, 4_000)}</pre>}>
          <Editor text={shown} label={what} />
        </Suspense>
      )}
      {!isWhole && (
        <p className={styles['rest']}>
          The first {bytesText(partLength)} are shown. <Button onClick={() => setWhole(true)}>Show all</Button>
        </p>
      )}
    </section>
  );
}

function download(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
