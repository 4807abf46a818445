import { internalError } from '../../engine/errors.ts';
import { readJson } from '../../engine/json/index.ts';
import { toResult } from '../answer/answer.ts';
import { checkNames } from '../catalog/arguments.ts';
import { keyOf } from '../catalog/keyOf.ts';
import type { McpCall, Tool } from '../declare/tool.ts';

/**
 * The text that a tool answers, within a bound: our line, and the fenced data. Only for tools that
 * read. Throws what the tool throws.
 */
export async function askTool(tool: Tool, call: McpCall, given: object, maxBytes: number): Promise<string> {
  if (tool.isWrite) throw new TypeError(`${tool.name} writes`);
  checkNames(tool, given);
  const answer = await tool.run({
    ...call,
    arguments: readJson(JSON.stringify(given)),
    maxBytes: maxBytes - 1,
    wantsProgress: false,
    progress: async () => undefined,
    origin: { via: 'mcp', client: call.client, key: keyOf(call.principal), decidesOwn: false },
    asking: { canAsk: false, answers: undefined, state: undefined },
  });
  if ('ask' in answer) throw new TypeError(internalError);
  const { content } = toResult(answer, maxBytes - 1, tool.outputSchema);
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
