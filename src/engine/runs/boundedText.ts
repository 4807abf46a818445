import { isLongerThan, maxNameLength } from '../codePoints.ts';
import { invalid } from '../errors.ts';
import { hasUnsupportedCharacter } from '../json/index.ts';

/**
 * An optional string field of an event or a trigger (8): at most 256 characters unless told,
 * storable. Undefined when absent; an empty string counts as absent.
 */
export function boundedText(field: string, value: unknown, maxLength = maxNameLength): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalid(`${field} must be a string`);
  if (isLongerThan(value, maxLength)) throw invalid(`${field} may be at most ${maxLength} characters long`);
  if (hasUnsupportedCharacter(value)) throw invalid(`unsupported character in ${field}`);
  return value;
}
