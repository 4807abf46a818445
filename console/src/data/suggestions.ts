import { useEffect, useState } from 'react';
import type { SuggestionKind } from './generated/graphql.ts';
import { graphql } from './graphql.ts';
import { useRead } from './queries.ts';

/** The length of a list. A longer one is asked for by what was typed. */
const limit = 100;

export const suggestionsDocument = graphql(`
  query Suggestions($kind: SuggestionKind!, $key: String, $prefix: String, $limit: Int) {
    suggestions(kind: $kind, key: $key, prefix: $prefix, limit: $limit, maxAge: 5)
  }
`);

interface Wanted {
  /** The key of the tag whose values are wanted. */
  key?: string | undefined;
  typed?: string;
  isEnabled?: boolean;
}

/** Values that the project uses, the most frequent first. None before they are read. */
export function useSuggestions(kind: SuggestionKind, { key, typed = '', isEnabled = true }: Wanted = {}): string[] {
  const prefix = useSettled(typed);
  const first = useRead(suggestionsDocument, { kind, key, limit }, { isEnabled });
  // The answer may still be that of another key.
  const offered = isEnabled && !first.isOld ? (first.data?.suggestions ?? []) : [];
  const isCut = offered.length === limit && prefix !== '';
  const begins = useRead(suggestionsDocument, { kind, key, limit, prefix }, { isEnabled: isCut });
  return isCut && begins.data && !begins.isOld ? begins.data.suggestions : offered;
}

/** A text once it has been the same for a while. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 200);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Suggestions for a tag as `key=value`: keys first, then the values of the key. */
export function useTagSuggestions(text: string): string[] {
  const [key = '', typed] = splitTag(text);
  const keys = useSuggestions('TAG_KEY', { typed: key });
  const values = useSuggestions('TAG_VALUE', { key, typed: typed ?? '', isEnabled: typed !== undefined && key !== '' });
  return typed === undefined ? keys.map((each) => `${each}=`) : values.map((each) => `${key}=${each}`);
}

/** The key of a tag and its value, as far as they are written. Values may hold `=`. */
export function splitTag(text: string): [key: string, value?: string] {
  const at = text.indexOf('=');
  return at === -1 ? [text.trim()] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
