import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { styleNonce } from '../router/nonce.ts';

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

/** The extensions of all editors that show JSON and change nothing. */
export const readOnlyLook = (label: string): Extension[] => [
  EditorState.readOnly.of(true),
  EditorView.cspNonce.of(styleNonce()),
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
  EditorView.lineWrapping,
  // Controls and characters that turn the direction of text show as marks.
  highlightSpecialChars(),
  json(),
  syntaxHighlighting(highlighting),
  look,
];
