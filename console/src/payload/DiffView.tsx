import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import { readOnlyLook } from './editorLook.ts';
import styles from './Payload.module.css';

const look = EditorView.theme({
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-fill)', paddingLeft: '6px' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--good-fill)' },
  '&.cm-merge-b .cm-changedText': { background: 'none', textDecoration: 'underline' },
  '& ins': { textDecoration: 'none' },
  '.cm-deletedChunk .cm-deletedText, & del': { background: 'none', textDecoration: 'line-through' },
  '.cm-changedLineGutter': { backgroundColor: 'var(--good)' },
  '.cm-deletedLineGutter': { backgroundColor: 'var(--bad)' },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { display: 'none' },
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--ink-soft)', padding: '0.1rem 0.75rem' },
});

/** A diff in one column: removed lines struck through, added ones underlined, equal ones folded. */
export default function DiffView({
  before,
  after,
  label,
}: {
  before: string;
  after: string;
  label: string;
}): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          ...readOnlyLook(label),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            collapseUnchanged: { margin: 3, minSize: 6 },
            // Beyond these bounds the diff is coarser, and the page stays responsive.
            diffConfig: { scanLimit: 500, timeout: 40 },
          }),
          look,
        ],
      }),
    });
    return () => view.destroy();
  }, [before, after, label]);
  return <div ref={place} className={styles['editor']} />;
}
