import type { TextAnswer } from '../modelAnswer.ts';
import type { MessagePart, TextRequest } from '../request/inferRequest.ts';
import { problemsText } from './checkToolInputs.ts';
import type { Problem } from './validate.ts';

/**
 * The request that asks again for an answer that did not fit its schema: the conversation, the
 * answer, and what was wrong with it. It has one re-ask less.
 */
export function reaskRequest(request: TextRequest, answer: TextAnswer, problems: readonly Problem[]): TextRequest {
  const text = `The answer does not fit its JSON Schema:\n${problemsText(problems)}\nAnswer again with nothing but JSON that fits.`;
  return {
    ...request,
    messages: [
      ...request.messages,
      // Providers refuse a message without parts.
      ...(isEmpty(answer.content) ? [] : [{ role: 'assistant' as const, content: answer.content }]),
      { role: 'user', content: [{ type: 'text', text }] },
    ],
    reasks: Math.max(0, request.reasks - 1),
  };
}

const isEmpty = (content: readonly MessagePart[]): boolean =>
  content.every((part) => part.type === 'text' && part.text.trim() === '');

/** Whether an answer that does not fit is asked for again: not if it was cut off or filtered. */
export const mayReask = ({ reasks }: TextRequest, { finishReason }: TextAnswer): boolean =>
  reasks > 0 && finishReason !== 'length' && finishReason !== 'content-filter';
