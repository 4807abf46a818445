import { codeFolding, foldGutter, foldKeymap } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { readOnlyLook } from './editorLook.ts';
import styles from './Payload.module.css';

interface EditorProps {
  text: string;
  label: string;
  /** Tells the place of the cursor while the editor is there. */
  cursor: RefObject<(() => number) | undefined>;
}

/** A read-only editor: draws only the lines in view, folds, and searches. */
export default function Editor({ text, label, cursor }: EditorProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          ...readOnlyLook(label),
          lineNumbers(),
          codeFolding(),
          foldGutter(),
          search({ top: true }),
          highlightSelectionMatches(),
          keymap.of([...searchKeymap, ...foldKeymap]),
        ],
      }),
    });
    cursor.current = () => view.state.selection.main.head;
    return () => {
      cursor.current = undefined;
      view.destroy();
    };
  }, [text, label, cursor]);
  return <div ref={place} className={styles['editor']} />;
}
