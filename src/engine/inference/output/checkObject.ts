import { nestingExceeds } from '../../json/index.ts';
import type { Json, JsonSchema } from '../request/inferRequest.ts';
import { type Problem, validate } from './validate.ts';

/** The nesting of an answer. Storing and sending it recurses. */
export const maxAnswerDepth = 200;

export type CheckedObject =
  | { fits: true; object: Json; skipped: string[] }
  | { fits: false; problems: Problem[]; skipped: string[] };

/**
 * Reads a text of a model as JSON, and checks it against a schema. A block of code around the JSON
 * is taken off: models without structured output write one.
 */
export function checkObject(schema: JsonSchema, text: string): CheckedObject {
  const parsed = parse(text) ?? parse(withoutFence(text));
  if (!parsed) return unfit('the answer is not JSON');
  if (parsed === 'deep') return unfit(`the answer is nested deeper than ${maxAnswerDepth} levels`);
  const { problems, skipped } = validate(schema, parsed.value);
  if (problems.length > 0) return { fits: false, problems, skipped };
  return { fits: true, object: parsed.value, skipped };
}

const unfit = (message: string): CheckedObject => ({
  fits: false,
  problems: [{ path: '', keyword: 'json', message }],
  skipped: [],
});

function parse(text: string): { value: Json } | 'deep' | undefined {
  if (nestingExceeds(text, maxAnswerDepth)) return 'deep';
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The inside of the first block of code, if there is one. */
function withoutFence(text: string): string {
  const start = text.indexOf('```');
  const line = start < 0 ? -1 : text.indexOf('\n', start);
  const end = text.lastIndexOf('```');
  return line < 0 || end <= line ? '' : text.slice(line + 1, end);
}
