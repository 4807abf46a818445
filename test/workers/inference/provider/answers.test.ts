import { describe, expect, test } from 'vitest';
import { request, Site, textAnswer, wires } from './kit.ts';

const site = new Site();

const weather = { name: 'weather', description: 'Tells the weather.', inputSchema: { type: 'object' } };
const weatherCall = { id: 'call_1', name: 'weather', input: { city: 'Oslo' } };

describe.each(wires)('an answer by %s', (wire) => {
  test.each([
    ['a stream', false],
    ['one document', true],
  ])('is understood as %s', async (_, plain) => {
    site.fake.answers({ text: ['Hel', 'lo.'], usage: { input: 8, output: 4, cacheRead: 2 }, plain });
    const ending = await site.call(wire);
    expect(ending).toMatchObject({
      outcome: 'answered',
      status: 200,
      usage: { tokensIn: 10, tokensOut: 4, cachedTokensIn: 2 },
      warnings: [],
    });
    expect(textAnswer(ending)).toMatchObject({ text: 'Hello.', model: 'some-model', finishReason: 'stop' });
    expect(textAnswer(ending).content).toMatchObject([{ type: 'text', text: 'Hello.' }]);
  });

  test.each([
    ['a stream', false],
    ['one document', true],
  ])('has its calls of tools as %s', async (_, plain) => {
    site.fake.answers({ text: 'Let me see.', toolCalls: [weatherCall], plain });
    const answer = textAnswer(await site.call(wire, { request: request({ tools: [weather] }) }));
    expect(answer.toolCalls).toEqual([weatherCall]);
    expect(answer.finishReason).toBe('tool-calls');
    expect(answer.content).toMatchObject([{ type: 'text' }, { type: 'tool_call', ...weatherCall }]);
  });

  test.each(['stop', 'length', 'content-filter'] as const)('ends with %s', async (finish) => {
    site.fake.answers({ text: 'Hello.', finish }, { text: 'Hello.', finish, plain: true });
    expect(textAnswer(await site.call(wire)).finishReason).toBe(finish);
    expect(textAnswer(await site.call(wire)).finishReason).toBe(finish);
  });

  test('is a stream that was asked for, under its idempotency key', async () => {
    await site.call(wire, { idempotencyKey: 'key-of-step' });
    expect(site.fake.ledger).toMatchObject([{ idempotencyKey: 'key-of-step', body: { stream: true } }]);
  });

  test('may come compressed, and one byte at a time', async () => {
    site.fake.answers(
      { text: 'Hello.', compressed: true },
      { text: 'Hello.', compressed: true, plain: true },
      { text: 'Héllo.', fault: 'slow bytes' },
    );
    expect(textAnswer(await site.call(wire)).text).toBe('Hello.');
    expect(textAnswer(await site.call(wire)).text).toBe('Hello.');
    expect(textAnswer(await site.call(wire)).text).toBe('Héllo.');
  });
});
