import { describe, expect, test } from 'vitest';
import type { Message } from '../../../src/engine/inference/index.ts';
import { memoOfHit } from '../../../src/workers/inference/memo.ts';
import { joinReasks, splitReasks } from '../../../src/workers/inference/reask.ts';

const message = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

describe('a request that asks again', () => {
  test('keeps what the runner sent, and all messages since', () => {
    const data = '{"model":"m","prompt":"a\\u0000b"}';
    const twice = joinReasks(joinReasks(data, [message('1')]), [message('2\0')]);
    expect(splitReasks(twice)).toEqual({ data, reasks: [message('1'), message('2\0')] });
    expect(splitReasks(data)).toEqual({ data, reasks: [] });
  });
});

describe('the memo of a hit', () => {
  test('is that of the answer, without its spend', () => {
    const memo = JSON.stringify({ text: 'a', model: 'm', finishReason: 'stop', usage: { tokensIn: 3, cost: 1 } });
    const { output, finishReason } = memoOfHit(memo);
    expect(JSON.parse(output)).toEqual({
      text: 'a',
      model: 'm',
      finishReason: 'stop',
      usage: { tokensIn: 0, tokensOut: 0 },
    });
    expect(finishReason).toBe('stop');
  });
});
