import { Download, Route, WrapText } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { explain } from '../data/requestError.ts';
import { Button, bytesText, Copy, later, Skeleton, tell, visibleText } from '../design/index.ts';
import type { CutText } from './indentJson.ts';
import { showLater } from './indentLater.ts';
import { loadEditor } from './loadEditor.ts';
import styles from './Payload.module.css';
import { valuePath } from './valuePath.ts';

const Editor = later(() => loadEditor(() => import('./Editor.tsx')));

interface PayloadProps {
  /** What it is: `Input`, `Result`. */
  what: string;
  /** The text as the service has it, or its first part. */
  text: string;
  /** The size of the whole text, if `text` may be a part. */
  bytes?: number;
  /** Reads the whole text. */
  readAll?: () => Promise<string>;
}

/**
 * A payload as text: folding, search (Ctrl F), copy, also of the path of a value, and a download of
 * the exact text. A long one shows its first part until the rest is asked for.
 */
export function Payload({ what, text: given, bytes, readAll }: PayloadProps): ReactNode {
  const [whole, setWhole] = useState<string>();
  const [isIndented, setIndented] = useState(true);
  const [isUncut, setUncut] = useState(false);
  const [shown, setShown] = useState<CutText>();
  const cursor = useRef<() => number>(undefined);
  const text = whole ?? given;
  const size = useMemo(() => new TextEncoder().encode(text).length, [text]);
  const isPart = whole === undefined && bytes !== undefined && size < bytes;
  useEffect(() => {
    let isCurrent = true;
    void showLater(text, { isIndented, isWhole: isUncut }).then((made) => {
      if (isCurrent) setShown(made);
    });
    return () => {
      isCurrent = false;
    };
  }, [text, isIndented, isUncut]);
  const copyPath = (): void => {
    const path = valuePath(shown?.text ?? '', cursor.current?.() ?? 0);
    void navigator.clipboard.writeText(path).then(
      () => tell(`Copied ${visibleText(path)}`),
      () => tell('The browser did not let the console copy', { isFailure: true }),
    );
  };
  const withAll = (use: (text: string) => void): void => {
    if (!isPart || !readAll) use(text);
    else readAll().then(use, (error: unknown) => tell(explain(error).title, { isFailure: true }));
  };
  return (
    <section className={styles['payload']} aria-label={what}>
      <header className={styles['head']}>
        <h3>{what}</h3>
        <span className={styles['size']}>{bytesText(bytes ?? size)}</span>
        <Button
          kind="quiet"
          icon={WrapText}
          isIconOnly
          aria-pressed={isIndented}
          onClick={() => setIndented(!isIndented)}
        >
          {isIndented ? 'Show as sent' : 'Indent'}
        </Button>
        <Button kind="quiet" icon={Route} isIconOnly onClick={copyPath}>
          {`Copy the path at the cursor in ${what}`}
        </Button>
        {!isPart && <Copy text={text} what={what} />}
        <Button kind="quiet" icon={Download} isIconOnly onClick={() => withAll((all) => download(all, `${what}.json`))}>
          {`Download ${what}`}
        </Button>
      </header>
      {shown === undefined ? (
        <Skeleton rows={2} />
      ) : (
        <Editor
          text={shown.text}
          label={what}
          cursor={cursor}
          meanwhile={<pre className={styles['plain']}>{visibleLines(shown.text.slice(0, 4_000))}</pre>}
        />
      )}
      {shown !== undefined && shown.cuts > 0 && (
        <p className={styles['rest']}>
          Long strings are cut. <Button onClick={() => setUncut(true)}>Show them whole</Button>
        </p>
      )}
      {isPart && (
        <p className={styles['rest']}>
          The first part is shown. <Button onClick={() => withAll(setWhole)}>Show all</Button>
        </p>
      )}
    </section>
  );
}

const visibleLines = (text: string): string => text.split('\n').map(visibleText).join('\n');

function download(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
