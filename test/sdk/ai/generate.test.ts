import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { AiDefaults, type AiOptions } from '../../../sdk/src/ai/aiDefaults.ts';
import type { GenerateRequest } from '../../../sdk/src/index.ts';
import type { InferText, Opcode } from '../../../sdk/src/protocol.ts';
import { hashStepId } from '../../../sdk/src/stepId.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { parseInferRequest } from '../../../src/engine/inference/index.ts';
import { type PassInput, pass, play } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);
const answer = {
  text: 'because',
  content: [{ type: 'text', text: 'because' }],
  model: 'm-1-2026',
  finishReason: 'stop',
  usage: { tokensIn: 12, tokensOut: 3 },
};

/** The opcode of a handler's only step. */
async function only(handler: Handler<unknown, unknown>, input: PassInput = {}): Promise<Opcode> {
  const { opcodes } = await pass(workflow(handler), input);
  expect(opcodes).toHaveLength(1);
  return opcodes[0] as Opcode;
}

/** The request that a call puts on the wire. */
async function sent(request: object, ai?: AiOptions): Promise<InferText> {
  const input = ai === undefined ? {} : { aiDefaults: new AiDefaults(ai) };
  const opcode = await only(({ step }) => step.ai.generate('ask', request as GenerateRequest), input);
  expect(opcode).toMatchObject({ op: 'Infer', name: 'ask' });
  return 'data' in opcode ? (opcode.data as InferText) : expect.unreachable();
}

describe('step.ai.generate', () => {
  it('hands its request to the service, and parks the run', async () => {
    const request = {
      model: 'm-1',
      provider: 'openai',
      system: 'be brief',
      messages: [
        { role: 'user', content: [{ type: 'image', url: 'https://pictures.test/a.png' }] },
        { role: 'assistant', content: 'a cat' },
        { role: 'user', content: 'why?' },
      ],
      temperature: 0,
      maxTokens: 100,
      topP: 0.9,
      stop: ['END'],
      seed: -7,
      cache: false,
      reasks: 0,
      onUnknown: 'fail',
      options: { reasoning: { effort: 'low' } },
      price: { input: 1, output: 2 },
    };
    expect(await only(({ step }) => step.ai.generate('ask', request as GenerateRequest))).toEqual({
      op: 'Infer',
      id: hashStepId('ask'),
      name: 'ask',
      data: request,
    });
  });

  it('sends what the service takes, and nothing that it ignores', async () => {
    const request = {
      model: 'm',
      system: 'be brief',
      messages: [
        { role: 'system', content: 'x' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x', metadata: { cache: true } },
            { type: 'image', data: 'AQID' },
            { type: 'file', url: 'https://files.test/a.pdf', mediaType: 'application/pdf', filename: 'a.pdf' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm', metadata: { signature: 's' } },
            { type: 'tool_call', id: 'c', name: 't', input: { a: [1, null] } },
          ],
        },
        { role: 'tool', content: [{ type: 'tool_result', id: 'c', name: 't', output: null, isError: true }] },
      ],
      output: z.object({ a: z.string() }),
      tools: [{ name: 't', description: 'x', inputSchema: z.object({}) }],
      toolChoice: { tool: 't' },
      temperature: 0,
      maxTokens: 1,
      topP: 1,
      stop: ['END'],
      seed: 1,
      cache: true,
      reasks: 3,
      onUnknown: 'fail',
      options: { a: { b: 1 } },
      price: { input: 1, output: 2, cacheRead: 0, cacheWrite: 3 },
    };
    const { request: read, ignored } = parseInferRequest(await sent(request, { provider: 'openai' }));
    expect(ignored).toEqual([]);
    const { output: _output, tools: _tools, system, ...rest } = request;
    expect(read).toMatchObject({ kind: 'text', provider: 'openai', system, temperature: 0, price: rest.price });
    expect(read).toMatchObject({ schema: { required: ['a'] }, tools: [{ inputSchema: { type: 'object' } }] });
  });

  it('returns the answer that was saved', async () => {
    const w = workflow(async ({ step }) => step.ai.generate('ask', { model: 'm-1', prompt: 'why' }));
    const played = await play(w, { wake: [['ask', answer]] });
    expect(played.answer).toMatchObject({ status: 200, data: answer });
    expect(played.passes).toEqual([['ask'], []]);
  });

  it('throws the error of the service by its name, which the handler may catch', async () => {
    const w = workflow(({ step }) =>
      step.ai.generate('ask', { model: 'm', prompt: 'x' }).catch((error: Error) => `${error.name}: ${error.message}`),
    );
    const memo = { ask: { error: { name: 'InvalidOutputError', message: '/urgent: type' } } };
    expect(await pass(w, { memo })).toMatchObject({ status: 200, data: 'InvalidOutputError: /urgent: type' });
  });

  it('refuses what another kind of step saved under its id', async () => {
    const w = workflow(({ step }) => step.ai.generate('ask', { model: 'm', prompt: 'x' }));
    expect(await pass(w, { memo: { ask: { data: 'x' } } })).toMatchObject({
      status: 500,
      retriable: false,
      error: { name: 'NonDeterminismError', message: expect.stringContaining('"ask"') },
    });
  });

  it('asks for several answers side by side', async () => {
    const w = workflow(({ step }) =>
      Promise.all(['a', 'b'].map((id) => step.ai.generate(id, { model: 'm', prompt: id }))),
    );
    expect((await pass(w)).opcodes).toMatchObject([{ name: 'a' }, { name: 'b' }]);
  });

  it('is not begun by a handler that does not await it, and the log says so', async () => {
    const w = workflow(({ step }) => {
      void step.ai.generate('ask', { model: 'm', prompt: 'x' });
      return 'done';
    });
    const { status, logs } = await pass(w);
    expect(status).toBe(200);
    expect(logs).toMatchObject([{ level: 'warn', message: expect.stringContaining('"ask"') }]);
  });

  it('fails the run without a request when the cap was reached', async () => {
    const ctx = { ai: { tokens: 100, maxTokens: 100 } };
    expect(await only(({ step }) => step.ai.generate('ask', { model: 'm', prompt: 'x' }), { ctx })).toMatchObject({
      op: 'StepRun',
      name: 'ask',
      retriable: false,
      error: { name: 'BudgetError', message: 'the AI steps of this run have spent 100 tokens; its cap is 100' },
    });
  });
});

describe('the output of step.ai.generate', () => {
  it('is a JSON Schema, which is sent as it is', async () => {
    const output = { type: 'object', properties: { a: { type: 'string' } }, allOf: [{ required: ['a'] }] };
    expect((await sent({ model: 'm', prompt: 'x', output })).schema).toEqual(output);
  });

  it('is a schema of zod: what the model writes is its input, without further properties', async () => {
    const output = z.object({
      urgent: z.boolean(),
      lines: z.array(z.object({ text: z.string().transform((text) => text.length) })),
      kind: z.enum(['a', 'b']).default('a'),
      other: z.record(z.string(), z.number()),
    });
    expect(await sent({ model: 'm', prompt: 'x', output })).toEqual({
      model: 'm',
      prompt: 'x',
      schema: {
        type: 'object',
        properties: {
          urgent: { type: 'boolean' },
          lines: {
            type: 'array',
            items: {
              type: 'object',
              properties: { text: { type: 'string' } },
              required: ['text'],
              additionalProperties: false,
            },
          },
          kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
          other: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'number' } },
        },
        required: ['urgent', 'lines', 'other'],
        additionalProperties: false,
      },
    });
  });

  it('stays open where its parts complete each other', async () => {
    const output = z.intersection(z.object({ a: z.string() }), z.union([z.object({ b: z.string() }), z.string()]));
    expect(JSON.stringify((await sent({ model: 'm', prompt: 'x', output })).schema)).not.toContain(
      '"additionalProperties":false',
    );
  });

  it('of any library with ~standard.jsonSchema is taken, also where a schema is a function', async () => {
    const seen: unknown[] = [];
    const input = (options: unknown) => {
      seen.push(options);
      return { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' };
    };
    const output = Object.assign(() => true, { '~standard': { version: 1, vendor: 'v', jsonSchema: { input } } });
    expect((await sent({ model: 'm', prompt: 'x', output })).schema).toEqual({ type: 'string' });
    expect(seen).toEqual([{ target: 'draft-2020-12' }]);
  });

  test.each([
    ['a string', 'text', 'must be a JSON Schema'],
    ['a list', [], 'must be a JSON Schema'],
    ['a function', () => true, 'must be a JSON Schema'],
    ['a schema without JSON Schema', { '~standard': { version: 1, vendor: 'zod', validate: () => 1 } }, 'zod 4.2'],
    ['a schema that JSON Schema cannot say', z.object({ at: z.date() }), 'has no JSON Schema: Date'],
  ])('cannot be %s', async (_, output, message) => {
    const opcode = await only(({ step }) =>
      step.ai.generate('ask', { model: 'm', prompt: 'x', output: output as never }),
    );
    expect(opcode).toMatchObject({
      retriable: false,
      error: { message: expect.stringMatching(new RegExp(`^the output of step "ask" .*${message}`)) },
    });
  });
});

describe('tools of a request', () => {
  it('take the same schemas', async () => {
    const tools = [
      { name: 'refund', description: 'pays back', inputSchema: z.object({ cents: z.int() }) },
      { name: 'look', inputSchema: { type: 'object' } },
    ];
    const { tools: wire } = await sent({ model: 'm', prompt: 'x', tools, toolChoice: { tool: 'look' } });
    expect(wire).toMatchObject([
      { name: 'refund', description: 'pays back', inputSchema: { type: 'object', required: ['cents'] } },
      { name: 'look', inputSchema: { type: 'object' } },
    ]);
  });
});

describe('a request that cannot be right fails the run at once, naming step and field', () => {
  const tool = { name: 't', inputSchema: { type: 'object' } };
  const ok = { model: 'm', prompt: 'x' };
  test.each([
    ['nothing', undefined, 'step "ask" needs a request'],
    ['no model', { prompt: 'x' }, 'step "ask" needs a model'],
    ['an empty model', { ...ok, model: '' }, 'step "ask" needs a model'],
    ['neither prompt nor messages', { model: 'm' }, 'needs either a prompt or messages; it has neither'],
    ['both', { ...ok, messages: [{ role: 'user', content: 'x' }] }, 'it has both'],
    ['an empty prompt', { model: 'm', prompt: '' }, 'the prompt of step "ask"'],
    [
      'no message',
      { model: 'm', messages: [] },
      'the messages of step "ask" must be a list that is not empty; it is an empty list',
    ],
    ['a role', { model: 'm', messages: [{ role: 'bot', content: 'x' }] }, 'the role of message 0 of step "ask"'],
    ['a content', { model: 'm', messages: [{ role: 'user', content: 7 }] }, 'the content of message 0'],
    ['a part', { model: 'm', messages: [{ role: 'user', content: [{}] }] }, 'the type of part 0 of message 0'],
    ['a temperature', { ...ok, temperature: '0' }, 'the temperature of step "ask"'],
    ['maxTokens', { ...ok, maxTokens: 0 }, 'the maxTokens of step "ask"'],
    ['topP', { ...ok, topP: 2 }, 'the topP of step "ask"'],
    ['stop', { ...ok, stop: 'END' }, 'the stop of step "ask"'],
    ['seed', { ...ok, seed: 0.5 }, 'the seed of step "ask"'],
    ['reasks', { ...ok, reasks: 4 }, 'the reasks of step "ask" must be 0 to 3; it is 4'],
    ['cache', { ...ok, cache: 'no' }, 'the cache of step "ask"'],
    ['onUnknown', { ...ok, onUnknown: 'retry' }, 'the onUnknown of step "ask"'],
    ['options', { ...ok, options: [] }, 'the options of step "ask"'],
    ['a price', { ...ok, price: { input: 1 } }, 'the price of step "ask" has an invalid output'],
    ['two tools of one name', { ...ok, tools: [tool, tool] }, 'step "ask" has two tools named "t"'],
    ['a tool without a name', { ...ok, tools: [{ inputSchema: {} }] }, 'the name of tool 0 of step "ask"'],
    ['a tool without a schema', { ...ok, tools: [{ name: 't' }] }, 'the inputSchema of tool "t" of step "ask"'],
    ['a choice of no tool', { ...ok, toolChoice: 'required' }, 'the toolChoice of step "ask" needs a tool'],
    ['a choice of another tool', { ...ok, tools: [tool], toolChoice: { tool: 'u' } }, 'needs a tool named "u"'],
    ['bytes', { ...ok, options: { raw: new Uint8Array(2) } }, 'the data of step "ask" cannot be saved: "options.raw"'],
  ])('%s', async (_, request, message) => {
    const opcode = await only(({ step }) => step.ai.generate('ask', request as GenerateRequest));
    expect(opcode).toMatchObject({
      op: 'StepRun',
      retriable: false,
      error: { message: expect.stringContaining(message) },
    });
  });
});
