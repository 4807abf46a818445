import type { ToolCall } from '../modelAnswer.ts';
import type { Tool } from '../request/inferRequest.ts';
import { type Problem, validate } from './validate.ts';

/** All inputs of an answer are checked within this time, and one more check. */
const maxMs = 1_000;

/**
 * Marks the calls whose input does not fit the schema of their tool. They are handed over anyway.
 */
export function checkToolInputs(tools: readonly Tool[], calls: readonly ToolCall[]): ToolCall[] {
  const end = performance.now() + maxMs;
  return calls.map((call) => {
    if (call.invalid !== undefined) return call;
    if (performance.now() > end) return { ...call, invalid: 'the answer has too many calls to check them all' };
    const tool = tools.find(({ name }) => name === call.name);
    // The caller tells the model of a tool that does not exist.
    const problems = tool ? validate(tool.inputSchema, call.input).problems : [];
    return problems.length === 0 ? call : { ...call, invalid: problemsText(problems) };
  });
}

/** Problems as text, one a line. */
export const problemsText = (problems: readonly Problem[]): string =>
  problems.map(({ path, keyword, message }) => `${path || '/'} (${keyword}): ${message}`).join('\n');
