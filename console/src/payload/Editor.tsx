import { codeFolding, foldGutter, foldKeymap } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Text } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { readOnlyLook } from './editorLook.ts';
import styles from './Payload.module.css';
import { pause, textInSlices } from './textInSlices.ts';

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
    let view: EditorView | undefined;
    let isWanted = true;
    const show = async (): Promise<void> => {
      const doc = await textInSlices(text, () => isWanted);
      const state = doc && stateOf(doc, label);
      // Parsing has begun, which takes as long as drawing: each is a task of its own.
      await pause();
      if (!isWanted || !state || !place.current) return;
      const shown = new EditorView({ parent: place.current, state });
      view = shown;
      cursor.current = () => shown.state.selection.main.head;
    };
    void show();
    return () => {
      isWanted = false;
      cursor.current = undefined;
      view?.destroy();
    };
  }, [text, label, cursor]);
  return <div ref={place} className={styles['editor']} />;
}

const stateOf = (doc: Text, label: string): EditorState =>
  EditorState.create({
    doc,
    extensions: [
      ...readOnlyLook(label),
      lineNumbers(),
      codeFolding(),
      foldGutter(),
      search({ top: true }),
      highlightSelectionMatches(),
      keymap.of([...searchKeymap, ...foldKeymap]),
    ],
  });
