import { describe, expect, test } from 'vitest';
import { mayReask, reaskRequest, type TextAnswer, type TextRequest } from '../../../../src/engine/inference/index.ts';

const request: TextRequest = {
  kind: 'text',
  provider: 'anthropic',
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Who?' }] }],
  schema: { type: 'object' },
  onUnknown: 'repeat',
  reasks: 2,
};
const answer: TextAnswer = {
  kind: 'text',
  text: '[]',
  content: [{ type: 'text', text: '[]', metadata: { a: { b: 'kept' } } }],
  model: 'm',
  finishReason: 'stop',
};
const problem = { path: '/age', keyword: 'type', message: 'Expected "integer".' };

describe('asking again', () => {
  test('sends the answer as it came, and what was wrong with it', () => {
    const { messages, reasks, ...rest } = reaskRequest(request, answer, [problem]);
    expect(messages.slice(0, 2)).toEqual([...request.messages, { role: 'assistant', content: answer.content }]);
    expect(messages[2]?.role).toBe('user');
    expect(JSON.stringify(messages[2])).toContain('/age (type): Expected');
    expect(reasks).toBe(1);
    expect(rest).toMatchObject({ model: 'm', schema: { type: 'object' } });
  });

  test('leaves out an answer without content', () => {
    const { messages } = reaskRequest(request, { ...answer, content: [{ type: 'text', text: ' ' }] }, [problem]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
  });

  test('does not happen after a cut, a filter, or the last time', () => {
    expect(mayReask(request, answer)).toBe(true);
    expect(mayReask({ ...request, reasks: 0 }, answer)).toBe(false);
    expect(mayReask(request, { ...answer, finishReason: 'length' })).toBe(false);
    expect(mayReask(request, { ...answer, finishReason: 'content-filter' })).toBe(false);
  });
});
