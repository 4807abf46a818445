import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeProvider } from './fakeProvider.ts';

let fake: FakeProvider;
beforeEach(async () => {
  fake = await FakeProvider.start();
});
afterEach(() => fake.close());

const tool = { id: 'call_1', name: 'weather', input: { city: 'Oslo' } };

describe("Anthropic's client reads a fake's Messages", () => {
  const request = { model: 'claude-x', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] };
  const client = () => new Anthropic({ apiKey: 'secret', baseURL: fake.origin, maxRetries: 0 });

  test('as one document', async () => {
    fake.answers({ text: ['Hel', 'lo.'], toolCalls: [tool], usage: { input: 7, output: 3, cacheRead: 2 } });
    const message = await client().messages.create(request);
    expect(message.content).toMatchObject([
      { type: 'text', text: 'Hello.' },
      { type: 'tool_use', id: 'call_1', input: tool.input },
    ]);
    expect(message.usage).toMatchObject({ input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 2 });
    expect(message.stop_reason).toBe('tool_use');
  });

  test('as a stream, with reasoning and its signature', async () => {
    fake.answers({ reasoning: { text: 'hm', signature: 'sig' }, text: ['Hel', 'lo.'], toolCalls: [tool] });
    const message = await client().messages.stream(request).finalMessage();
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'text', text: 'Hello.' },
      { type: 'tool_use', name: 'weather', input: tool.input },
    ]);
    expect(message.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
  });

  test('as a refusal with its headers', async () => {
    fake.answers({ refusal: { status: 529, type: 'overloaded_error' }, headers: { 'retry-after': '7' } });
    const error = await client()
      .messages.create(request)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } });
    expect(error instanceof Anthropic.APIError && error.headers?.get('retry-after')).toBe('7');
  });

  test('as an error in the middle of a stream', async () => {
    fake.answers({ text: ['Hel', 'lo.'], fault: { errorMidway: { type: 'overloaded_error', message: 'busy' } } });
    await expect(client().messages.stream(request).finalMessage()).rejects.toThrow('busy');
  });
});

describe("OpenAI's client reads a fake's", () => {
  const client = () => new OpenAI({ apiKey: 'secret', baseURL: fake.url, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hi' }];

  test('chat completions as one document', async () => {
    fake.answers({ text: 'Hello.', toolCalls: [tool] });
    const answer = await client().chat.completions.create({ model: 'gpt-x', messages });
    expect(answer.choices[0]?.message).toMatchObject({
      content: 'Hello.',
      tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    });
    expect(answer.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 });
  });

  test('chat completions as a stream', async () => {
    fake.answers({ text: ['Hel', 'lo.'], toolCalls: [tool] });
    const stream = client().chat.completions.stream({
      model: 'gpt-x',
      messages,
      stream_options: { include_usage: true },
    });
    const answer = await stream.finalChatCompletion();
    expect(answer.choices[0]?.message.content).toBe('Hello.');
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"city":"Oslo"}' } });
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
    expect(answer.usage?.prompt_tokens).toBe(10);
  });

  test('Responses as one document', async () => {
    fake.answers({ text: 'Hello.', toolCalls: [tool] });
    const answer = await client().responses.create({ model: 'gpt-x', input: 'Hi' });
    expect(answer.output_text).toBe('Hello.');
    expect(answer.output[1]).toMatchObject({ type: 'function_call', call_id: 'call_1' });
  });

  test('Responses as a stream', async () => {
    fake.answers({ reasoning: { text: 'hm', signature: 'enc' }, text: ['Hel', 'lo.'], toolCalls: [tool] });
    const stream = client().responses.stream({ model: 'gpt-x', input: 'Hi' });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const answer = await stream.finalResponse();
    expect(text).toBe('Hello.');
    expect(answer.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
    expect(answer.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
  });

  test('embeddings, which it asks for as base64', async () => {
    const answer = await client().embeddings.create({ model: 'text-x', input: ['a', 'b'] });
    expect(answer.data.map(({ embedding }) => [...embedding])).toEqual([
      [0.5, 0.25, -1],
      [1.5, 0.25, -1],
    ]);
    expect(fake.ledger[0]?.body['encoding_format']).toBe('base64');
  });

  test('models', async () => {
    const models = await client().models.list();
    expect(models.data).toHaveLength(1);
  });

  test('broken connections as errors', async () => {
    fake.answers({ fault: 'reset before headers' });
    await expect(client().responses.create({ model: 'gpt-x', input: 'Hi' })).rejects.toThrow(/connection/i);
  });
});

test('a fake keeps a ledger of what it received', async () => {
  const client = new OpenAI({ apiKey: 'secret', baseURL: fake.url, maxRetries: 0 });
  await client.chat.completions.create({ model: 'gpt-x', messages: [] }, { headers: { 'Idempotency-Key': 'key-1' } });
  const [entry] = fake.ledger;
  expect(entry).toMatchObject({ method: 'POST', path: '/v1/chat/completions', idempotencyKey: 'key-1' });
  expect(entry?.headers['authorization']).toBe('Bearer secret');
  expect(entry?.body).toMatchObject({ model: 'gpt-x' });
  await expect(entry?.closed).resolves.toBe('answered');
});
