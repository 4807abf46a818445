import { CircleAlert } from 'lucide-react';
import {
  type ChangeEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type UIEvent,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { findFault, type JsonFault } from '../data/jsonFault.ts';
import { Button, classes, countText, FieldFrame, type FieldProps } from '../design/index.ts';
import { indentJson } from './indentJson.ts';
import styles from './JsonField.module.css';

interface JsonFieldProps extends FieldProps {
  value: string;
  onText: (text: string) => void;
  rows?: number;
}

/** So long a person may type before a fault is shown. */
const settlesMs = 600;

/**
 * A text of JSON to edit. A fault is told at its line and column, and its line is marked. The text
 * stays as it is typed; a form with a fault is not sent, and the cursor goes there instead.
 */
export function JsonField({ label, hint, error, isBare, value, onText, rows = 10 }: JsonFieldProps): ReactNode {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const fault = useMemo(() => findFault(value), [value]);
  const [isTold, setTold] = useTold(fault, value);
  const shown = isTold ? fault : undefined;
  const lines = useMemo(() => value.split('\n').length, [value]);
  useEffect(() => area.current?.setCustomValidity(fault ? placeOf(fault) : ''), [fault]);
  const goToFault = (): void => {
    if (!fault || !area.current) return;
    setTold(true);
    area.current.focus();
    area.current.setSelectionRange(fault.at, fault.at);
    scrollToLine(area.current, fault.line / lines);
  };
  const indent = (): void => {
    if (!area.current) return;
    area.current.focus();
    area.current.select();
    insert(indentJson(value));
    area.current.setSelectionRange(0, 0);
  };
  return (
    <FieldFrame {...{ id, label, hint, error, isBare }}>
      <div
        ref={box}
        className={classes(styles['box'], (shown || error) && styles['faulty'])}
        style={{ '--digits': Math.max(2, String(lines).length) } as object}
      >
        <div className={styles['text']}>
          <div className={styles['gutter']} aria-hidden>
            <pre className={styles['numbers']}>{numbersTo(lines)}</pre>
          </div>
          {shown && <Mark fault={shown} value={value} />}
          <textarea
            ref={area}
            id={id}
            rows={rows}
            wrap="off"
            spellCheck={false}
            autoCapitalize="off"
            className={styles['area']}
            value={value}
            aria-invalid={shown || error ? true : undefined}
            aria-describedby={[`${id}-fault`, error ? `${id}-error` : hint && `${id}-hint`].filter(Boolean).join(' ')}
            onChange={(event: ChangeEvent<HTMLTextAreaElement>) => onText(event.target.value)}
            onBlur={() => setTold(true)}
            onKeyDown={onKeyDown}
            onInvalid={(event: FormEvent) => {
              event.preventDefault();
              goToFault();
            }}
            onScroll={({ currentTarget: { scrollTop, scrollLeft } }: UIEvent<HTMLTextAreaElement>) => {
              box.current?.style.setProperty('--down', `${-scrollTop}px`);
              box.current?.style.setProperty('--along', `${-scrollLeft}px`);
            }}
          />
        </div>
        <div className={styles['foot']}>
          <p id={`${id}-fault`} className={styles['state']}>
            {shown ? (
              <>
                <CircleAlert size={15} aria-hidden />
                <span>
                  <button type="button" className={styles['place']} onClick={goToFault}>
                    {placeOf(shown)}
                  </button>
                  : {shown.what}
                </span>
              </>
            ) : (
              <span className={styles['lines']}>
                {lines === 1 ? 'JSON, 1 line' : `JSON, ${countText(lines)} lines`}
              </span>
            )}
          </p>
          <Button kind="quiet" refusal={fault && 'the text is no JSON'} onClick={indent}>
            Indent
          </Button>
        </div>
        <Spoken fault={shown} />
      </div>
    </FieldFrame>
  );
}

const placeOf = ({ line, column }: JsonFault): string => `Line ${line}, column ${column}`;

const numbersTo = (count: number): string => Array.from({ length: count }, (_line, index) => index + 1).join('\n');

/** Whether a fault is shown: once typing pauses or focus leaves, then until it is mended. */
function useTold(fault: JsonFault | undefined, value: string): [boolean, (isTold: boolean) => void] {
  const [isTold, setTold] = useState(false);
  const isFaulty = fault !== undefined;
  if (!isFaulty && isTold) setTold(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the text waits anew.
  useEffect(() => {
    if (!isFaulty || isTold) return;
    const timer = setTimeout(() => setTold(true), settlesMs);
    return () => clearTimeout(timer);
  }, [isFaulty, isTold, value]);
  return [isTold, setTold];
}

/** Speaks a fault once typing pauses, instead of at each letter. */
function Spoken({ fault }: { fault: JsonFault | undefined }): ReactNode {
  const text = fault ? `${placeOf(fault)}: ${fault.what}` : '';
  const [spoken, setSpoken] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSpoken(text), settlesMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <span className="unseen" role="status">
      {spoken}
    </span>
  );
}

/** Marks the line of a fault, and its column where each character is as wide as the others. */
function Mark({ fault: { at, line, column }, value }: { fault: JsonFault; value: string }): ReactNode {
  const isEven = /^[ -~]*$/.test(value.slice(at - column + 1, at));
  return (
    <div className={styles['mark']} style={{ '--at-line': line - 1, '--at-column': column - 1 } as object} aria-hidden>
      {isEven && <span className={styles['caret']} />}
    </div>
  );
}

/** Puts a text at the cursor so that the browser can undo it. */
const insert = (text: string): boolean => document.execCommand('insertText', false, text);

/** Ctrl Enter sends the form; Enter keeps the indentation. Tab leaves the field, as elsewhere. */
function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  const { form, value, selectionStart } = event.currentTarget;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    form?.requestSubmit();
    return;
  }
  const before = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart);
  const [spaces = ''] = /^[ \t]*/.exec(before) ?? [];
  if (insert(`\n${spaces}${/[{[]\s*$/.test(before) ? '  ' : ''}`)) event.preventDefault();
}

/** Scrolls a line into view, given as its share of all lines. */
function scrollToLine(area: HTMLTextAreaElement, share: number): void {
  const top = share * area.scrollHeight;
  if (top < area.scrollTop + 40 || top > area.scrollTop + area.clientHeight - 40)
    area.scrollTop = top - area.clientHeight / 2;
}
