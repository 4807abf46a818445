import { splitTag } from '../../data/suggestions.ts';

/** Tags as lines of a form: `key=value`. */
export const tagLines = (tags: Record<string, string> | null | undefined): string =>
  Object.entries(tags ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');

/** The tags of a form's lines; absent if there are none. */
export function tagsIn(text: string): Record<string, string> | undefined {
  const pairs = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [key, value = ''] = splitTag(line);
      return [key, value];
    });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}
