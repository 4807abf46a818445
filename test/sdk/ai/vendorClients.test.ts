import Anthropic from '@anthropic-ai/sdk';
import { streamText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Opcode } from '../../../sdk/src/protocol.ts';
import { defineWorkflow } from '../../../sdk/src/workflow.ts';
import { FakeProvider } from '../../support/models/fakeProvider.ts';
import type { Turn } from '../../support/models/turn.ts';
import { deltas, streamed } from '../support/aiSdk.ts';
import { pass, play } from '../support/passes.ts';

let fake: FakeProvider;
beforeEach(async () => {
  fake = await FakeProvider.start();
});
afterEach(() => fake.close());

const anthropic = () => new Anthropic({ apiKey: 'secret', baseURL: fake.origin, maxRetries: 0 });
const openai = () => new OpenAI({ apiKey: 'secret', baseURL: fake.url, maxRetries: 0 });
const message = { role: 'user' as const, content: 'Hi' };
const asked = { model: 'claude-x', max_tokens: 100, messages: [message] };
const chat = { model: 'gpt-x', messages: [message] };
const response = { model: 'gpt-x', input: 'Hi' };

type Call = () => unknown;

const calls: Record<string, Call> = {
  'a message of Anthropic': () => anthropic().messages.create(asked),
  'a streamed message of Anthropic': () => anthropic().messages.stream(asked).finalMessage(),
  'a chat completion of OpenAI': () => openai().chat.completions.create(chat),
  'a streamed chat completion of OpenAI': () =>
    openai()
      .chat.completions.stream({ ...chat, stream_options: { include_usage: true } })
      .finalChatCompletion(),
  'a response of OpenAI': () => openai().responses.create(response),
  'a streamed response of OpenAI': () => openai().responses.stream(response).finalResponse(),
};

const wrapped = (call: Call) => defineWorkflow('default', { id: 'w' }, ({ step }) => step.ai.wrap('ask', call));

/** The opcode of a step that makes a call. */
async function stepOf(call: Call, turn: Turn): Promise<Opcode> {
  fake.answers(turn);
  const { opcodes } = await pass(wrapped(call));
  expect(opcodes).toHaveLength(1);
  expect(fake.ledger).toHaveLength(1);
  return opcodes[0] as Opcode;
}

describe('step.ai.wrap with the client of a provider', () => {
  it.each(Object.entries(calls))('reports the usage of %s', async (name, call) => {
    const usage = { input: 7, output: 3, cacheRead: 2, reasoning: 1 };
    const step = await stepOf(call, { text: 'Hello.', model: 'm-1', usage });
    const reasoningTokens = name.endsWith('Anthropic') ? undefined : 1;
    const known = { model: 'm-1', tokensIn: 9, tokensOut: 3, cachedTokensIn: 2 };
    expect(step).toMatchObject({ op: 'StepRun', usage: { latencyMs: expect.any(Number) } });
    const reported = { ...known, ...(reasoningTokens !== undefined && { reasoningTokens }) };
    expect(step).toHaveProperty('ai.calls', [expect.objectContaining(reported)]);
  });

  it('reports the tokens of embeddings, which have no output', async () => {
    const call = () => openai().embeddings.create({ model: 'embed-x', input: ['a', 'b'] });
    const step = await stepOf(call, { usage: { input: 4, output: 0 } });
    expect(step).toMatchObject({ usage: { model: 'embed-x', tokensIn: 4 } });
    expect(step).not.toHaveProperty('usage.tokensOut');
  });

  it('reports each of several calls, and of two clients', async () => {
    fake.answers({ text: 'A', usage: { input: 2, output: 1 } }, { text: 'B', usage: { input: 5, output: 4 } });
    const both = async () => [await anthropic().messages.create(asked), await openai().chat.completions.create(chat)];
    const { opcodes } = await pass(wrapped(both));
    expect(opcodes).toMatchObject([{ usage: { model: 'gpt-x', tokensIn: 7, tokensOut: 5 } }]);
  });

  it.each(Object.entries(calls))('saves %s whole, without calling again', async (_name, call) => {
    fake.answers({ text: 'Hello.' });
    const { answer } = await play(wrapped(call));
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.data)).toContain('Hello.');
    expect(fake.ledger).toHaveLength(1);
  });

  it.each(Object.entries(calls))('waits as long as the provider asks, instead of %s', async (_name, call) => {
    const refusal = { status: 429, type: 'rate_limit_error', message: 'slow down' };
    const step = await stepOf(call, { refusal, headers: { 'retry-after': '7' } });
    expect(step).toMatchObject({ op: 'StepRun', retryAfterMs: 7000, error: { message: expect.stringMatching('429') } });
    expect(step).not.toHaveProperty('retriable');
    expect(step).not.toHaveProperty('data');
  });

  it.each([
    ['milliseconds', 529, { 'retry-after-ms': '250' }, 250],
    ['no time', 500, {}, undefined],
    ['not to be called again', 429, { 'retry-after': '7', 'x-should-retry': 'false' }, undefined],
    ['time for a request that is wrong', 400, { 'retry-after': '7' }, undefined],
  ])('a provider that asks for %s', async (_name, status, headers, retryAfterMs) => {
    for (const call of [calls['a message of Anthropic'], calls['a response of OpenAI']]) {
      fake.answers({ refusal: { status, message: 'no' }, headers });
      const { opcodes } = await pass(wrapped(call ?? (() => undefined)));
      const [step] = opcodes;
      expect(step).toHaveProperty('error.message', expect.stringContaining(String(status)));
      expect(step?.op === 'StepRun' && step.retryAfterMs).toBe(retryAfterMs);
    }
  });

  it('a stream that breaks off fails the step, to be called again as its policy says', async () => {
    const step = await stepOf(() => anthropic().messages.stream(asked).finalMessage(), {
      text: ['Hel', 'lo.'],
      fault: { errorMidway: { type: 'overloaded_error', message: 'busy' } },
    });
    expect(step).toMatchObject({ op: 'StepRun', error: { message: expect.stringContaining('busy') } });
    expect(step).not.toHaveProperty('retriable');
  });

  it.each<[string, Call]>([
    ['Anthropic', () => anthropic().messages.create({ ...asked, stream: true })],
    ['OpenAI', () => openai().responses.create({ ...response, stream: true })],
    [
      'the AI SDK',
      () => streamText({ model: new MockLanguageModelV3({ doStream: streamed(deltas('Hello.')) }), prompt: 'Hi' }),
    ],
  ])('a stream of %s is no result: the error says that it has to be read', async (_name, call) => {
    const { opcodes } = await pass(wrapped(call));
    expect(opcodes).toMatchObject([
      {
        op: 'StepRun',
        retriable: false,
        error: {
          name: 'NotJsonError',
          message: 'the body of step "ask" returned a stream: read it to its end, and return what it gave',
        },
      },
    ]);
  });

  it('a provider that cannot be reached fails the step, to be called again', async () => {
    const client = new OpenAI({ apiKey: 'secret', baseURL: 'http://127.0.0.1:9/v1', maxRetries: 0 });
    const { opcodes } = await pass(wrapped(() => client.responses.create(response)));
    expect(opcodes).toMatchObject([{ op: 'StepRun', error: { message: 'Connection error.' } }]);
    expect(opcodes[0]).not.toHaveProperty('retriable');
  });
});
