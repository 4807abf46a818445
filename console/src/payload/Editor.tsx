import { json } from '@codemirror/lang-json';
import { codeFolding, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type ReactNode, useEffect, useRef } from 'react';
import { styleNonce } from '../router/nonce.ts';
import styles from './Payload.module.css';

const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good-ink)' },
  { tag: tags.number, color: 'var(--busy-ink)' },
  { tag: [tags.bool, tags.null], color: 'var(--wait-ink)' },
  { tag: [tags.separator, tags.brace, tags.squareBracket], color: 'var(--ink-soft)' },
]);

const look = EditorView.theme({
  '&': { fontSize: 'var(--type-tiny)', backgroundColor: 'transparent', color: 'var(--ink)', maxHeight: '28rem' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--ink-faint)', borderRight: '1px solid var(--line)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--hover)',
    border: '0',
    color: 'var(--ink-soft)',
    padding: '0 0.3rem',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)' },
  '.cm-searchMatch': { backgroundColor: 'var(--hold-fill)', outline: '1px solid var(--hold)' },
});

/** A read-only editor: draws only the lines in view, folds, and searches. */
export default function Editor({ text, label }: { text: string; label: string }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorState.readOnly.of(true),
          EditorView.cspNonce.of(styleNonce()),
          EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
          EditorView.lineWrapping,
          lineNumbers(),
          codeFolding(),
          foldGutter(),
          json(),
          syntaxHighlighting(highlighting),
          search({ top: true }),
          highlightSelectionMatches(),
          keymap.of([...searchKeymap, ...foldKeymap]),
          look,
        ],
      }),
    });
    return () => view.destroy();
  }, [text, label]);
  return <div ref={place} className={styles['editor']} />;
}
