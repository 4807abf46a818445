import { isLongerThan, maxNameLength } from '../codePoints.ts';
import { invalid } from '../errors.ts';
import { hasUnsupportedCharacter } from '../json/index.ts';

export const maxTags = 20;
export const tagKeyPattern = /^[A-Za-z0-9_.-]{1,64}$/;

export type Tags = Readonly<Record<string, string>>;

/**
 * Validates tags from outside (2.8). Undefined when absent or empty; `invalid` names the tag and
 * the limit.
 */
export function parseTags(tags: unknown, field = 'tags'): Tags | undefined {
  if (tags === undefined || tags === null) return undefined;
  if (typeof tags !== 'object' || Array.isArray(tags)) throw invalid(`${field} must be an object of strings`);
  const entries = Object.entries(tags);
  if (entries.length > maxTags) throw invalid(`${field} may hold at most ${maxTags} entries`);
  for (const [key, value] of entries) checkTag(field, key, value);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function checkTag(field: string, key: string, value: unknown): void {
  if (!tagKeyPattern.test(key)) {
    throw invalid(`${field}: a key must be 1 to 64 characters of A-Z a-z 0-9 _ . -`);
  }
  if (typeof value !== 'string') throw invalid(`${field}.${key} must be a string`);
  if (isLongerThan(value, maxNameLength)) {
    throw invalid(`${field}.${key} may be at most ${maxNameLength} characters long`);
  }
  // `jsonb`, in which tags are indexed, can hold neither.
  if (hasUnsupportedCharacter(value)) throw invalid(`${field}.${key} holds an unsupported character`);
}
