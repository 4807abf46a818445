import { compactJson, ExactText } from '../../data/exactText.ts';
import { findFault } from '../../data/jsonFault.ts';

/** What an edited text means for the decision. */
export type EditedArgs = { kind: 'unchanged' } | { kind: 'invalid' } | { kind: 'edited'; args: ExactText };

/** Reads the text of edited arguments. A text that was only indented otherwise is unchanged. */
export function readEditedArgs(original: string, text: string | undefined): EditedArgs {
  if (text === undefined || text === original) return { kind: 'unchanged' };
  if (text.trim() === '' || findFault(text)) return { kind: 'invalid' };
  return compactJson(text) === compactJson(original)
    ? { kind: 'unchanged' }
    : { kind: 'edited', args: new ExactText(text) };
}
