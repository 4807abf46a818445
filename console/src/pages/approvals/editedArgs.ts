import { parseExact } from '../../data/exactJson.ts';

/** What an edited text means for the decision. */
export type EditedArgs = { kind: 'unchanged' } | { kind: 'invalid'; error: string } | { kind: 'edited'; args: unknown };

/** Reads the text of edited arguments. A text that was only indented otherwise is unchanged. */
export function readEditedArgs(original: string, text: string | undefined): EditedArgs {
  if (text === undefined || text === original) return { kind: 'unchanged' };
  try {
    const args = parseExact(text);
    return withoutSpace(text) === withoutSpace(original) ? { kind: 'unchanged' } : { kind: 'edited', args };
  } catch (error) {
    return { kind: 'invalid', error: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** JSON without the white space between its tokens; that within strings stays. */
const withoutSpace = (text: string): string =>
  text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_all, quoted: string | undefined) => quoted ?? '');
