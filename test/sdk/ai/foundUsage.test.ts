import { describe, expect, it, test } from 'vitest';
import { AiDefaults } from '../../../sdk/src/ai/aiDefaults.ts';
import type { AiUsage, Opcode } from '../../../sdk/src/protocol.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { type PassInput, pass } from '../support/passes.ts';
import * as shapes from './providerShapes.ts';

const workflow = (handler: Handler<unknown, unknown>) => defineWorkflow('default', { id: 'w' }, handler);

async function only(handler: Handler<unknown, unknown>, input: PassInput = {}): Promise<Opcode & { usage?: AiUsage }> {
  const { opcodes } = await pass(workflow(handler), input);
  expect(opcodes).toHaveLength(1);
  return opcodes[0] as Opcode;
}

const returning = (result: unknown, input: PassInput = {}) =>
  only(({ step }) => step.ai.wrap('ask', () => result), input);

describe('step.ai.wrap reports by itself what its body returns', () => {
  test.each<[string, unknown, AiUsage]>([
    [
      'a message of Anthropic, whose cached input is apart',
      shapes.anthropicMessage,
      {
        model: 'claude-sonnet-4-5-20250929',
        tokensIn: 12 + 2000 + 300,
        tokensOut: 90,
        cachedTokensIn: 2000,
        cacheWriteTokensIn: 300,
        reasoningTokens: 40,
      },
    ],
    [
      'a chat completion of OpenAI, whose cached input is within',
      shapes.chatCompletion,
      { model: 'gpt-5-2025-08-07', tokensIn: 1200, tokensOut: 80, cachedTokensIn: 1024, reasoningTokens: 64 },
    ],
    [
      'a chat completion of a compatible server that tells less',
      { ...shapes.chatCompletion, model: 'llama', usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
      { model: 'llama', tokensIn: 7, tokensOut: 3 },
    ],
    [
      'a response of OpenAI',
      shapes.openaiResponse,
      { model: 'gpt-5-2025-08-07', tokensIn: 328, tokensOut: 52, cachedTokensIn: 128, reasoningTokens: 32 },
    ],
    ['embeddings of OpenAI', shapes.openaiEmbeddings, { model: 'text-embedding-3-small', tokensIn: 8 }],
    [
      'content of Google, whose thoughts are apart',
      shapes.googleContent,
      { model: 'gemini-2.5-flash', tokensIn: 60, tokensOut: 130, cachedTokensIn: 32, reasoningTokens: 100 },
    ],
    [
      'an answer of Bedrock, which does not name its model',
      shapes.bedrockConverse,
      { tokensIn: 30 + 1024 + 16, tokensOut: 20, cachedTokensIn: 1024, cacheWriteTokensIn: 16 },
    ],
    ['an embedding of ai', shapes.aiEmbed, { model: 'text-embedding-3-small', tokensIn: 7 }],
    ['embeddings of ai', shapes.aiEmbedMany, { model: 'text-embedding-3-small', tokensIn: 9 }],
    [
      'an object of ai 5',
      shapes.aiObject(shapes.usageOfAi5),
      { model: 'm-2026', tokensIn: 10, tokensOut: 4, cachedTokensIn: 6, reasoningTokens: 1 },
    ],
    [
      'an object of ai 5 from Anthropic, whose cached input is apart',
      { ...shapes.aiObject(shapes.usageOfAi5), providerMetadata: { anthropic: { cacheCreationInputTokens: 2 } } },
      { model: 'm-2026', tokensIn: 18, tokensOut: 4, cachedTokensIn: 6, cacheWriteTokensIn: 2, reasoningTokens: 1 },
    ],
    [
      'an object of ai 5 from Bedrock, whose cached input is apart',
      { ...shapes.aiObject(shapes.usageOfAi5), providerMetadata: { bedrock: { usage: { cacheWriteInputTokens: 3 } } } },
      { model: 'm-2026', tokensIn: 19, tokensOut: 4, cachedTokensIn: 6, cacheWriteTokensIn: 3, reasoningTokens: 1 },
    ],
    [
      'an object of ai 6 and 7, whose cached input is within',
      { ...shapes.aiObject(shapes.usageOfAi6), providerMetadata: { anthropic: { cacheCreationInputTokens: 2 } } },
      { model: 'm-2026', tokensIn: 16, tokensOut: 4, cachedTokensIn: 6, cacheWriteTokensIn: 2, reasoningTokens: 1 },
    ],
  ])('%s', async (_, result, usage) => {
    const opcode = await returning(result);
    expect(opcode.usage).toEqual({ ...usage, latencyMs: expect.any(Number) });
    expect(opcode).toHaveProperty('ai', { calls: [usage] });
  });

  it('a text of ai: each call of its loop, also where its usage is that of the last call', async () => {
    for (const result of [shapes.textOfAi5(), shapes.textOfAi6(), shapes.textOfAi7()]) {
      const opcode = await returning(result);
      expect(opcode.usage).toMatchObject({ model: 'm-2026', tokensOut: 8, cachedTokensIn: 12 });
      expect(opcode).toHaveProperty('ai.calls.length', 2);
    }
  });

  it('a list of results: each of them', async () => {
    const opcode = await returning([shapes.anthropicMessage, shapes.openaiResponse, 'and more']);
    expect(opcode.usage).toMatchObject({ model: 'gpt-5-2025-08-07', tokensIn: 2312 + 328, tokensOut: 142 });
  });

  test.each([
    ['text', 'because'],
    ['nothing', undefined],
    ['no usage', { ...shapes.chatCompletion, usage: null }],
    ['a usage of something else', { usage: 'heavy' }],
    ['an empty usage', { usage: {} }],
    ['a loop without calls', { steps: [] }],
  ])('but finds nothing in %s', async (_, result) => {
    expect(await returning(result)).toMatchObject({
      usage: { latencyMs: expect.any(Number) },
      ai: { calls: [] },
    });
  });

  it('unless the body reports: that wins', async () => {
    const opcode = await only(({ step }) =>
      step.ai.wrap('ask', ({ report }) => {
        report({ model: 'mine', tokensIn: 1 });
        return shapes.anthropicMessage;
      }),
    );
    expect(opcode).toHaveProperty('ai', { calls: [{ model: 'mine', tokensIn: 1 }] });
  });

  it('also when the result cannot be saved, since its call was paid for', async () => {
    const opcode = await returning({ ...shapes.openaiResponse, at: new Map() });
    expect(opcode).toMatchObject({ error: { name: 'NotJsonError' }, usage: { tokensIn: 328, tokensOut: 52 } });
    expect(opcode).toHaveProperty('ai.calls.length', 1);
  });

  it('and what an error of ai tells of the call that was paid for', async () => {
    const opcode = await only(({ step }) =>
      step.ai.wrap('ask', () => {
        throw Object.assign(new Error('no object'), { usage: shapes.usageOfAi6, response: { modelId: 'm-2026' } });
      }),
    );
    expect(opcode).toMatchObject({ error: { message: 'no object' }, usage: { model: 'm-2026', tokensIn: 16 } });
  });

  it('and never fails for an object whose members throw', async () => {
    const result = Object.defineProperty({ text: 'kept' }, 'usage', {
      get() {
        throw new Error('not yet');
      },
    });
    expect(await returning(result)).toMatchObject({ data: { text: 'kept' }, ai: { calls: [] } });
  });
});

describe('a price of the model', () => {
  const aiDefaults = new AiDefaults({
    prices: {
      'claude-*': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      'gpt-5*': { input: 1.25, output: 10 },
    },
  });

  it('gives the cost of a call that has none, cached input at its own price', async () => {
    const { usage } = await returning(shapes.anthropicMessage, { aiDefaults });
    expect(usage?.cost).toBe((12 * 3 + 2000 * 0.3 + 300 * 3.75 + 90 * 15) / 1e6);
  });

  it('is that of input for cached input without a price', async () => {
    const { usage } = await returning(shapes.chatCompletion, { aiDefaults });
    expect(usage?.cost).toBe((1200 * 1.25 + 80 * 10) / 1e6);
  });

  it('applies to reports, and leaves a reported cost and what a cache answered alone', async () => {
    const opcode = await only(
      ({ step }) =>
        step.ai.wrap('ask', ({ report }) => {
          report({ model: 'claude-x', tokensIn: 1_000_000 });
          report({ tokensOut: 1_000_000 });
          report({ model: 'claude-x', tokensIn: 1_000_000, cost: 0.5 });
          report({ model: 'claude-x', tokensIn: 1_000_000, cacheHit: true });
          report({ model: 'claude-x' });
        }),
      { aiDefaults },
    );
    expect(opcode.usage?.cost).toBe(3 + 15 + 0.5);
    expect(opcode).toMatchObject({ ai: { calls: [{ cost: 3 }, { cost: 15 }, { cost: 0.5 }, {}, {}] } });
    expect(opcode).not.toHaveProperty('ai.calls.3.cost');
    expect(opcode).not.toHaveProperty('ai.calls.4.cost');
  });

  it('of no model: no cost', async () => {
    expect(await returning(shapes.googleContent, { aiDefaults })).not.toHaveProperty('usage.cost');
    expect(await returning(shapes.bedrockConverse, { aiDefaults })).not.toHaveProperty('usage.cost');
  });
});
