import { describe, expect, test } from 'vitest';
import type { EmbedRequest, Message, MessagePart, TextRequest } from '../../../../src/engine/inference/index.ts';
import { routeOf } from '../../../../src/workers/inference/provider/index.ts';
import { partTypes, request, Site, textAnswer, userText, type WireName, wires } from './kit.ts';

const site = new Site();

/** The body that the fake received last. */
const sent = (): { [key: string]: unknown } => site.fake.ledger.at(-1)?.body ?? {};

async function send(wire: WireName, fields: Partial<TextRequest>) {
  const ending = await site.call(wire, { request: request(fields) });
  if (ending.outcome !== 'answered') throw new Error(`not answered: ${JSON.stringify(ending)}`);
  return ending;
}

const user = (...content: MessagePart[]): Message => ({ role: 'user', content });

describe('the address of a provider', () => {
  const apiKey = 'k';
  test.each([
    ['anthropic', undefined, 'messages', 'https://api.anthropic.com/v1'],
    ['anthropic', 'https://api.anthropic.com', 'messages', 'https://api.anthropic.com/v1'],
    ['anthropic', 'https://proxy.example/anthropic/', 'messages', 'https://proxy.example/anthropic/v1'],
    ['anthropic', 'https://proxy.example/v1/', 'messages', 'https://proxy.example/v1'],
    ['openai', undefined, 'responses', 'https://api.openai.com/v1'],
    ['openai', 'https://api.openai.com/v1/', 'responses', 'https://api.openai.com/v1'],
    ['openai', 'https://proxy.example/v1', 'chat', 'https://proxy.example/v1'],
    ['groq', 'https://api.groq.example/openai/v1', 'chat', 'https://api.groq.example/openai/v1'],
  ])('%s at %s speaks %s', (provider, baseUrl, wire, address) => {
    expect(routeOf({ provider, apiKey, baseUrl })).toEqual({ wire, baseUrl: address });
  });

  test('is needed for other names', () => {
    expect(() => routeOf({ provider: 'groq', apiKey })).toThrow('no base URL for groq');
  });

  test.each([
    ['', '/v1/messages'],
    ['/v1', '/v1/messages'],
  ])('reaches Messages with %s at its end', async (end, path) => {
    const access = { provider: 'anthropic', apiKey, baseUrl: `${site.fake.origin}${end}` };
    await site.call('messages', { access });
    expect(site.fake.ledger[0]?.path).toBe(path);
  });
});

describe('a key', () => {
  test.each([
    ['messages', { 'x-api-key': 'secret-key' }],
    ['responses', { authorization: 'Bearer secret-key' }],
    ['chat', { authorization: 'Bearer secret-key' }],
  ] as const)('of %s goes in the header of its format', async (wire, headers) => {
    await send(wire, {});
    expect(site.fake.ledger[0]?.headers).toMatchObject(headers);
  });

  test('may be empty where a server needs none', async () => {
    await site.call('chat', { access: { provider: 'local', apiKey: '', baseUrl: site.fake.url } });
    expect(site.fake.ledger[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('the settings of a request', () => {
  const settings = { temperature: 0.1, topP: 0.9, maxTokens: 77, stop: ['END'], seed: 4 };

  test('reach chat completions', async () => {
    expect((await send('chat', settings)).warnings).toEqual([]);
    expect(sent()).toMatchObject({
      temperature: 0.1,
      top_p: 0.9,
      max_tokens: 77,
      stop: ['END'],
      seed: 4,
      stream_options: { include_usage: true },
    });
  });

  test('that a provider does not support are ignored, and named', async () => {
    const { warnings } = await send('messages', { ...settings, model: 'claude-sonnet-4-5' });
    expect(warnings).toEqual([expect.stringContaining('seed'), expect.stringContaining('topP')]);
    expect(sent()).toMatchObject({ temperature: 0.1, max_tokens: 77, stop_sequences: ['END'] });
    expect(sent()).not.toHaveProperty('seed');
    const responses = await send('responses', settings);
    expect(responses.warnings).toEqual(['unsupported: seed', 'unsupported: stop']);
    expect(sent()).toMatchObject({ max_output_tokens: 77 });
  });

  test.each([
    ['claude-sonnet-4-5', 64_000, []],
    ['claude-of-tomorrow-9', 128_000, [expect.stringMatching(/maxTokens .*limited to 128000/)]],
    ['another-model', 4_096, [expect.stringMatching(/maxTokens .*limited to 4096/)]],
  ])('without maxTokens, which Messages requires, take the ceiling that is known of %s', async (model, limit, told) => {
    site.fake.answers({ text: 'Once upon', finish: 'length' });
    const { warnings, answer } = await send('messages', { model, maxTokens: undefined });
    expect(sent()).toMatchObject({ max_tokens: limit });
    expect(warnings).toEqual(told);
    expect(answer).toMatchObject({ text: 'Once upon', finishReason: 'length' });
  });

  test.each(['responses', 'chat'] as const)('without maxTokens leave the limit to %s', async (wire) => {
    expect((await send(wire, { maxTokens: undefined })).warnings).toEqual([]);
    expect(Object.keys(sent()).filter((field) => /max/.test(field))).toEqual([]);
  });

  test.each(wires)('are joined with the options as they are, by %s', async (wire) => {
    const options = { service_tier: 'auto', nested: { list: [1, null] }, temperature: 0.5 };
    await send(wire, { options, temperature: 0.1 });
    expect(sent()).toMatchObject(options);
  });

  test.each(wires)('are not changed by options in model and stream, by %s', async (wire) => {
    const { warnings } = await send(wire, { options: { model: 'other', stream: false } });
    expect(sent()).toMatchObject({ model: 'some-model', stream: true });
    expect(warnings).toEqual(['ignored: options.model', 'ignored: options.stream']);
  });

  test('keep asking for usage whatever the options of a stream are', async () => {
    await send('chat', { options: { stream_options: { other: 1 } } });
    expect(sent()).toMatchObject({ stream_options: { include_usage: true, other: 1 } });
  });

  test('ask OpenAI to keep no copy', async () => {
    await send('responses', {});
    expect(sent()).toMatchObject({ store: false });
  });
});

describe('tools', () => {
  const tools = [{ name: 'weather', description: 'Tells it.', inputSchema: { type: 'object', properties: {} } }];
  const choices = [
    ['messages', 'auto', { type: 'auto' }],
    ['messages', 'required', { type: 'any' }],
    ['messages', { tool: 'weather' }, { type: 'tool', name: 'weather' }],
    ['responses', 'required', 'required'],
    ['responses', { tool: 'weather' }, { type: 'function', name: 'weather' }],
    ['chat', 'none', 'none'],
    ['chat', { tool: 'weather' }, { type: 'function', function: { name: 'weather' } }],
  ] as const;

  test.each(choices)('may be chosen by %s: %s', async (wire, toolChoice, expected) => {
    await send(wire, { tools, toolChoice });
    expect(sent()['tool_choice']).toEqual(expected);
    expect(JSON.stringify(sent()['tools'])).toContain('Tells it.');
  });

  test.each(wires)('have inputs that are marked when they do not fit, by %s', async (wire) => {
    const strict = [{ name: 'weather', inputSchema: { type: 'object', required: ['city'] } }];
    site.fake.answers({ toolCalls: [{ id: 'c1', name: 'weather', input: {} }] });
    const [call] = textAnswer(await send(wire, { tools: strict })).toolCalls ?? [];
    expect(call).toEqual({ id: 'c1', name: 'weather', input: {}, invalid: expect.stringContaining('city') });
  });

  test.each(wires)('have inputs that are no JSON, which are marked, too, by %s', async (wire) => {
    site.fake.answers({ toolCalls: [{ id: 'c1', name: 'weather', input: '{"city": ' }] });
    const answer = textAnswer(await send(wire, { tools }));
    expect(answer.toolCalls).toEqual([
      { id: 'c1', name: 'weather', input: '{"city": ', invalid: 'the input is not JSON' },
    ]);
    expect(answer.content.at(-1)).toMatchObject({ type: 'tool_call', input: {} });
  });

  test.each(wires)('have inputs that are nested too deeply, which are marked, by %s', async (wire) => {
    const input = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    site.fake.answers({ toolCalls: [{ id: 'c1', name: 'weather', input }] });
    const [call] = textAnswer(await send(wire, { tools })).toolCalls ?? [];
    expect(call?.invalid).toContain('nested deeper');
  });
});

describe('a schema', () => {
  const strict = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const loose = { type: 'object', properties: { a: { type: 'string' } } };

  test.each([
    ['strict', strict, true],
    ['loose', loose, false],
  ])('that is %s goes to OpenAI and compatible servers as one', async (_, schema, isStrict) => {
    site.fake.always(() => ({ text: '{"a":"b"}' }));
    await send('responses', { schema });
    expect(sent()['text']).toMatchObject({ format: { type: 'json_schema', strict: isStrict } });
    await send('chat', { schema });
    expect(sent()['response_format']).toMatchObject({ type: 'json_schema', json_schema: { strict: isStrict } });
  });

  test('goes to a model of Anthropic that has structured output', async () => {
    site.fake.answers({ text: '{"a":"b"}' });
    await send('messages', { schema: strict, model: 'claude-sonnet-4-5' });
    expect(sent()['output_config']).toMatchObject({ format: { type: 'json_schema' } });
  });

  test('is a tool for a model that has none, and its call is the text', async () => {
    site.fake.answers({ toolCalls: [{ id: 'c1', name: 'json', input: { a: 'b' } }] });
    const answer = textAnswer(await send('messages', { schema: strict }));
    expect(answer).toMatchObject({ text: '{"a":"b"}', finishReason: 'stop' });
    expect(answer).not.toHaveProperty('toolCalls');
    expect(sent()['tools']).toMatchObject([{ name: 'json' }]);
  });
});

describe.each(wires)('the parts of messages by %s', (wire) => {
  const png = Buffer.from('no real image').toString('base64');

  test('hold texts, images and files', async () => {
    await send(wire, {
      system: 'Be brief.',
      messages: [
        user(
          { type: 'text', text: 'Look:' },
          { type: 'image', data: png, mediaType: 'image/png' },
          { type: 'file', data: png, mediaType: 'application/pdf', filename: 'a.pdf' },
        ),
      ],
    });
    const body = JSON.stringify(sent());
    for (const text of ['Be brief.', 'Look:', png, 'application/pdf']) expect(body).toContain(text);
  });

  test('hold URLs that nobody here fetches', async () => {
    const image = `${site.fake.origin}/image.png`;
    await send(wire, { messages: [user({ type: 'image', url: image }, { type: 'text', text: 'What is it?' })] });
    expect(JSON.stringify(sent())).toContain(image);
    expect(site.fake.ledger).toHaveLength(1);
  });

  test('hold an answer with its reasoning, and it goes back as it came', async () => {
    const call = { id: 'c1', name: 'weather', input: { city: 'Oslo' } };
    const reasoning = { text: 'Thinking.', signature: 'signed-by-the-provider' };
    site.fake.answers({ reasoning, text: 'Let me see.', toolCalls: [call] });
    const model = wire === 'responses' ? 'gpt-5' : 'some-model';
    const { content } = textAnswer(await send(wire, { model }));
    expect(partTypes(content)).toEqual(['reasoning', 'text', 'tool_call']);
    const stored: MessagePart[] = JSON.parse(JSON.stringify(content));
    const results: Message = {
      role: 'tool',
      content: [
        { type: 'tool_result', id: 'c1', name: 'weather', output: { degrees: 4 } },
        { type: 'tool_result', id: 'c2', name: 'weather', output: 'no such place', isError: true },
      ],
    };
    const messages = [...userText('Weather?'), { role: 'assistant' as const, content: stored }, results];
    await send(wire, { model, messages });
    const body = JSON.stringify(sent());
    const kept = wire === 'chat' ? 'Thinking.' : 'signed-by-the-provider';
    for (const text of [kept, 'Let me see.', 'c1', 'Oslo', 'degrees', 'no such place']) expect(body).toContain(text);
  });

  test('that a role cannot hold are ignored, and named', async () => {
    const { warnings } = await send(wire, {
      messages: [{ role: 'system', content: [{ type: 'reasoning', text: 'x' }] }, ...userText('Hi')],
    });
    expect(warnings).toContain('ignored in a system message: reasoning');
  });

  test('that a provider cannot take at all are a refusal before anything is sent', async () => {
    const strange = user({ type: 'file', data: png, mediaType: 'application/x-unheard-of' });
    const ending = await site.call(wire, { request: request({ messages: [strange] }) });
    expect(ending).toMatchObject({ outcome: 'refused', refusal: { kind: 'final' } });
    expect(ending).toMatchObject({ message: expect.stringContaining('x-unheard-of') });
    expect(site.fake.ledger).toEqual([]);
  });
});

test('a malformed URL in a prompt is a refusal that does not quote it', async () => {
  const messages = [user({ type: 'image', url: 'no url at all' })];
  const ending = await site.call('chat', { request: request({ messages }) });
  expect(ending).toMatchObject({
    refusal: { kind: 'final' },
    message: 'the url of an image or a file is malformed',
  });
});

test('a provider without an address is a refusal that says so', async () => {
  const ending = await site.call('chat', { access: { provider: 'groq', apiKey: 'k' } });
  expect(ending).toMatchObject({ refusal: { kind: 'final' }, message: 'no base URL for groq' });
});

test('signatures of a compatible provider go back under the name that the library takes', async () => {
  const metadata = { compatible: { thoughtSignature: 'signed-thought' } };
  const call: MessagePart = { type: 'tool_call', id: 'c1', name: 'weather', input: {}, metadata };
  const result: MessagePart = { type: 'tool_result', id: 'c1', name: 'weather', output: 'cold' };
  await send('chat', {
    messages: [...userText('Hi'), { role: 'assistant', content: [call] }, { role: 'tool', content: [result] }],
  });
  expect(JSON.stringify(sent())).toContain('signed-thought');
});

test('redacted reasoning of Anthropic goes back as it came', async () => {
  site.fake.answers({ reasoning: { text: '', redacted: 'sealed-thought' }, text: 'Hello.' });
  const { content } = textAnswer(await send('messages', {}));
  await send('messages', { messages: [...userText('Hi'), { role: 'assistant', content }, ...userText('And?')] });
  expect(JSON.stringify(sent())).toContain('sealed-thought');
});

describe('embeddings', () => {
  const embed: EmbedRequest = {
    kind: 'embed',
    provider: 'openai',
    model: 'text-small',
    values: ['one', 'two'],
    onUnknown: 'repeat',
  };
  const vectors = [
    [0.5, 0.25, -1],
    [1.5, 0.25, -1],
  ].map((vector) => Buffer.from(Float32Array.from(vector).buffer).toString('base64'));

  test.each(['responses', 'chat'] as const)('come as base64 of float32, by %s', async (wire) => {
    const ending = await site.call(wire, { request: { ...embed, dimensions: 3 } });
    expect(ending).toMatchObject({
      outcome: 'answered',
      answer: { kind: 'embed', embeddings: vectors, dimensions: 3, model: 'text-small' },
      usage: { tokensIn: 10 },
    });
    expect(site.fake.ledger[0]).toMatchObject({
      path: '/v1/embeddings',
      idempotencyKey: 'key-1',
      body: { input: ['one', 'two'], dimensions: 3, encoding_format: wire === 'chat' ? 'float' : 'base64' },
    });
  });

  test('end unknown when a vector is missing', async () => {
    site.fake.answers({ embeddings: [[1, 2, 3]] }, { embeddings: [[1, 2, 3], []] }, { embeddings: [[1], [2], [3]] });
    for (const _ of [1, 2, 3]) {
      expect(await site.call('chat', { request: embed })).toMatchObject({
        outcome: 'unknown',
        usage: { tokensIn: 10 },
      });
    }
  });

  test('are refused like texts', async () => {
    site.fake.answers({ refusal: { status: 429 } });
    expect(await site.call('chat', { request: embed })).toMatchObject({ refusal: { kind: 'overloaded' } });
  });

  test('do not exist at Anthropic', async () => {
    const ending = await site.call('messages', { request: { ...embed, provider: 'anthropic' } });
    expect(ending).toMatchObject({ refusal: { kind: 'final' }, message: 'anthropic has no embeddings' });
  });
});
