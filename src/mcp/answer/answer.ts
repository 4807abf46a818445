import type { CallToolResult } from '@modelcontextprotocol/server';
import { invalid } from '../../engine/errors.ts';
import type { JsonSchema } from '../../rest/index.ts';
import type { DataAnswer } from '../declare/tool.ts';
import { fenced } from './fence.ts';
import { fitData, shortenedHint } from './fit.ts';

/**
 * The answer of a tool: our line, the fenced data, and the same data for programs. Throws `invalid`
 * if even the shortest form is too large, as one with a very long cursor is.
 */
export function toResult(answer: DataAnswer, maxBytes: number, schema: JsonSchema): CallToolResult {
  const fitted = fitData(answer, maxBytes, schema);
  if (!fitted) throw invalid('maxBytes is too small for this answer: pass at least 32768');
  return {
    content: [
      { type: 'text', text: 'abridged' in fitted.data ? `${answer.about}${shortenedHint}` : answer.about },
      { type: 'text', text: fenced(fitted.json) },
    ],
    structuredContent: fitted.data,
  };
}
