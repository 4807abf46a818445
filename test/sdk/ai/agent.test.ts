import { describe, expect, expectTypeOf, it, test } from 'vitest';
import { z } from 'zod';
import {
  type AgentRequest,
  type AgentTool,
  type Handler,
  type InferAnswer,
  type InferToolCall,
  NonRetriableError,
} from '../../../sdk/src/index.ts';
import type { InferText } from '../../../sdk/src/protocol.ts';
import { defineWorkflow } from '../../../sdk/src/workflow.ts';
import { type PassInput, pass, play } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);

const say = (text: string, more: Partial<InferAnswer> = {}): InferAnswer => ({
  text,
  content: [{ type: 'text', text }],
  model: 'm-1',
  finishReason: 'stop',
  usage: { tokensIn: 10, tokensOut: 2, cost: 0.1 },
  ...more,
});

/** An answer that calls tools. Its finish reason says otherwise, as some providers do. */
const call = (...calls: [name: string, input: unknown, invalid?: string][]): InferAnswer => {
  const toolCalls: InferToolCall[] = calls.map(([name, input, invalid], n) => ({
    id: `c${n + 1}`,
    name,
    input,
    ...(invalid !== undefined && { invalid }),
  }));
  const content = toolCalls.map(({ id, name, input }) => ({ type: 'tool_call' as const, id, name, input }));
  return { toolCalls, content, model: 'm-1', finishReason: 'stop', usage: { tokensIn: 5 } };
};

const decided = { decidedBy: 'ada', decidedVia: 'api', decidedAt: '2030-01-01T00:00:00.000Z' };

const schema = { inputSchema: { type: 'object' } };
const support = (tools: object, more: object = {}) =>
  workflow(({ step }) =>
    step.ai.agent('support', { model: 'm', prompt: 'help', tools, ...more } as AgentRequest & { output?: undefined }),
  );

/** Plays the answers of the model, by turn; `wake` has those of other steps, between them. */
const turns = (...answers: (InferAnswer | [string, unknown])[]): PassInput & { wake: [string, unknown][] } => {
  const models = answers.filter((each) => !Array.isArray(each));
  const nameOf = (answer: InferAnswer): string => `support/${models.indexOf(answer) + 1}`;
  return { wake: answers.map((each) => (Array.isArray(each) ? each : [nameOf(each), each])) };
};

/** The request of the turn that follows the memo. */
async function nextRequest(w: ReturnType<typeof workflow>, memo: PassInput['memo']): Promise<InferText> {
  const { opcodes } = await pass(w, { memo: memo ?? {} });
  const infer = opcodes.find(({ op }) => op === 'Infer');
  return infer !== undefined && 'data' in infer ? (infer.data as InferText) : expect.unreachable();
}

describe('step.ai.agent', () => {
  it('makes each model call and each tool call a step, and returns the last answer', async () => {
    const w = support({ add: { ...schema, execute: ({ a }: { a: number }) => a + 1 } }, { system: 'be kind' });
    const { answer, passes } = await play(w, turns(call(['add', { a: 1 }]), call(['add', { a: 2 }]), say('it is 3')));
    expect(passes).toEqual([['support/1'], ['support/1/add'], ['support/2'], ['support/2/add'], ['support/3'], []]);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.data).toEqual({
      text: 'it is 3',
      model: 'm-1',
      finishReason: 'stop',
      turns: 3,
      usage: { tokensIn: 20, tokensOut: 2, cost: 0.1 },
      messages: [
        { role: 'user', content: 'help' },
        { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'add', input: { a: 1 } }] },
        { role: 'tool', content: [{ type: 'tool_result', id: 'c1', name: 'add', output: 2 }] },
        { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'add', input: { a: 2 } }] },
        { role: 'tool', content: [{ type: 'tool_result', id: 'c1', name: 'add', output: 3 }] },
        { role: 'assistant', content: [{ type: 'text', text: 'it is 3' }] },
      ],
    });
  });

  it('hands the request, the tools and the conversation to each call', async () => {
    const inputSchema = z.object({ id: z.string() });
    const tools = { find: { description: 'Finds it.', inputSchema, execute: () => 'found' } };
    const w = support(tools, { system: 's', temperature: 0.5, output: z.object({ ok: z.boolean() }) });
    const properties = { id: { type: 'string' } };
    const found = { type: 'object', properties, required: ['id'], additionalProperties: false };
    const request = await nextRequest(w, {
      'support/1': { data: call(['find', { id: 'a' }]) },
      'support/1/find': { data: 'found' },
    });
    expect(request).toEqual({
      model: 'm',
      system: 's',
      temperature: 0.5,
      tools: [{ name: 'find', description: 'Finds it.', inputSchema: found }],
      schema: expect.objectContaining({ properties: { ok: { type: 'boolean' } } }),
      messages: [
        { role: 'user', content: 'help' },
        { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'find', input: { id: 'a' } }] },
        { role: 'tool', content: [{ type: 'tool_result', id: 'c1', name: 'find', output: 'found' }] },
      ],
    });
  });

  it('goes on with a conversation', async () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'hello' }] },
      { role: 'user', content: 'and?' },
    ];
    const request = await nextRequest(support({}, { prompt: undefined, messages }), {});
    expect(request).toEqual({ model: 'm', messages });
  });

  it('executes the calls of a turn side by side; calls of one tool are told apart by their order', async () => {
    const w = support({
      add: { ...schema, execute: ({ a }: { a: number }) => a + 1 },
      double: { ...schema, execute: ({ a }: { a: number }) => a * 2 },
    });
    const { passes, answer } = await play(
      w,
      turns(call(['add', { a: 1 }], ['double', { a: 5 }], ['add', { a: 2 }]), say('done')),
    );
    expect(passes).toEqual([
      ['support/1'],
      ['support/1/add', 'support/1/double', 'support/1/add:1'],
      ['support/2'],
      [],
    ]);
    expect(answer.data).toMatchObject({
      messages: [{}, {}, { role: 'tool', content: [{ output: 2 }, { output: 10 }, { output: 3 }] }, {}],
    });
  });

  it('records the input of a call, and gives its body an attempt, a signal and limits', async () => {
    let seen: unknown;
    const tools = {
      add: {
        ...schema,
        timeout: '1m',
        retry: { maxAttempts: 3 },
        execute(_input: unknown, { name, attempt, signal }: { name: string; attempt: number; signal: AbortSignal }) {
          seen = { name, attempt, isAborted: signal.aborted, isTool: this === tools.add };
          throw new Error('not now');
        },
      },
    };
    const { opcodes } = await pass(support(tools), { memo: { 'support/1': { data: call(['add', { a: 1 }]) } } });
    expect(opcodes).toMatchObject([
      { name: 'support/1/add', error: { message: 'not now' }, retry: { maxAttempts: 3 } },
    ]);
    expect(seen).toEqual({ name: 'support/1/add', attempt: 1, isAborted: false, isTool: true });
    const { opcodes: done } = await pass(support({ add: { ...schema, execute: () => null } }), {
      memo: { 'support/1': { data: call(['add', { a: 1 }]) } },
    });
    expect(done).toMatchObject([{ name: 'support/1/add', input: { a: 1 }, data: null }]);
  });

  it('tells the model of an error, of a tool that does not exist, and of an invalid input', async () => {
    const w = support({
      pay: { ...schema, execute: () => Promise.reject(new Error('no funds')) },
      find: { ...schema, execute: () => 'x' },
    });
    const { passes, answer } = await play(
      w,
      turns(call(['pay', {}], ['fly', {}], ['find', { id: 1 }, '/id: type'], ['toString', {}]), say('sorry')),
    );
    expect(passes).toEqual([['support/1'], ['support/1/pay'], ['support/2'], []]);
    const result = { type: 'tool_result', isError: true };
    expect(answer.data).toMatchObject({
      messages: [
        {},
        {},
        {
          content: [
            { ...result, id: 'c1', name: 'pay', output: 'no funds' },
            { ...result, id: 'c2', name: 'fly', output: 'there is no tool "fly"; the tools are pay, find' },
            { ...result, id: 'c3', output: 'the input does not fit the schema of the tool: /id: type' },
            { ...result, id: 'c4', output: 'there is no tool "toString"; the tools are pay, find' },
          ],
        },
        {},
      ],
    });
  });

  it('tells the model of a result that is too large to save, and executes the tool once', async () => {
    let executions = 0;
    const find = {
      ...schema,
      retry: { maxAttempts: 3 },
      execute: () => {
        executions += 1;
        return 'x'.repeat(1_100_000);
      },
    };
    const memo = { 'support/1': { data: call(['find', {}]) } };
    const { opcodes } = await pass(support({ find }), { memo });
    const message = 'the result of the tool has 1100002 bytes; it may have about 990 KiB';
    expect(opcodes).toMatchObject([{ name: 'support/1/find', error: { message }, retry: { maxAttempts: 1 } }]);
    expect(opcodes[0]).not.toHaveProperty('retriable');
    const { answer } = await play(support({ find }), turns(call(['find', {}]), say('too much')));
    expect(answer.data).toMatchObject({
      text: 'too much',
      messages: [{}, {}, { content: [{ name: 'find', isError: true, output: message }] }, {}],
    });
    expect(executions).toBe(2);
  });

  it('ends the run for a NonRetriableError of a tool', async () => {
    const w = support({ pay: { ...schema, execute: () => Promise.reject(new NonRetriableError('stolen card')) } });
    const { opcodes } = await pass(w, { memo: { 'support/1': { data: call(['pay', {}]) } } });
    expect(opcodes).toMatchObject([{ name: 'support/1/pay', retriable: false, error: { name: 'NonRetriableError' } }]);
  });

  it('throws the error of a model call', async () => {
    const w = workflow(async ({ step }) => {
      try {
        return await step.ai.agent('support', { model: 'm', prompt: 'p', tools: {} });
      } catch (error) {
        return String(error);
      }
    });
    const memo = { 'support/1': { error: { name: 'InferenceError', message: '400: no such model' } } };
    expect(await pass(w, { memo })).toMatchObject({ status: 200, data: 'InferenceError: 400: no such model' });
  });

  it('asks for an approval first; a denial is told to the model', async () => {
    let executions = 0;
    const approval = {
      risk: 'high',
      summary: ({ cents }: { cents: number }) => `refund ${cents}?`,
      timeout: '4h',
      onTimeout: 'reject',
    };
    const w = support({ refund: { ...schema, approval, execute: () => (executions += 1) } });
    const memo = { 'support/1': { data: call(['refund', { cents: 5 }], ['refund', { cents: 7 }]) } };
    expect((await pass(w, { memo })).opcodes).toMatchObject([
      {
        op: 'Approval',
        name: 'support/1/refund/approval',
        tool: 'refund',
        data: { cents: 5 },
        risk: 'high',
        summary: 'refund 5?',
        timeoutMs: 14_400_000,
        onTimeout: 'reject',
      },
      { op: 'Approval', name: 'support/1/refund:1/approval', data: { cents: 7 }, summary: 'refund 7?' },
    ]);
    const { passes, answer } = await play(
      w,
      turns(
        memo['support/1'].data,
        ['support/1/refund:1/approval', { status: 'approved', args: { cents: 7 }, ...decided }],
        ['support/1/refund/approval', { status: 'denied', args: { cents: 5 }, ...decided }],
        say('done'),
      ),
    );
    expect(passes.flat().filter((name) => !name.endsWith('approval'))).toEqual([
      'support/1',
      'support/1/refund:1',
      'support/2',
    ]);
    expect(executions).toBe(1);
    expect(answer.data).toMatchObject({
      messages: [
        {},
        {},
        { content: [{ isError: true, output: 'the call was denied by ada; it was not executed' }, { output: 1 }] },
        {},
      ],
    });
  });

  it('executes with edited arguments, and tells the model of them', async () => {
    const w = support({
      refund: { ...schema, approval: {}, execute: ({ cents }: { cents: number }) => `paid ${cents}` },
    });
    const approved = { status: 'approved', args: { cents: 3 }, editedArgs: { cents: 3 }, ...decided };
    const { answer } = await play(
      w,
      turns(call(['refund', { cents: 5 }]), ['support/1/refund/approval', approved], say('done')),
    );
    const output = { note: expect.stringContaining('edited'), arguments: { cents: 3 }, result: 'paid 3' };
    expect(answer.data).toMatchObject({ messages: [{}, {}, { content: [{ output }] }, {}] });
  });

  it('tells the model that nobody decided in time, where the timeout fails', async () => {
    const w = support({ refund: { ...schema, approval: { timeout: '1h', onTimeout: 'fail' }, execute: () => 1 } });
    const memo = {
      'support/1': { data: call(['refund', {}]) },
      'support/1/refund/approval': { error: { name: 'ApprovalTimeoutError', message: 'nobody decided' } },
    };
    expect((await nextRequest(w, memo)).messages?.at(-1)).toMatchObject({
      content: [{ isError: true, output: 'nobody decided' }],
    });
  });

  it('runs a workflow as a tool, as a child, and tells the model of its result and its failure', async () => {
    const pack = workflow(() => 'packed');
    const w = support({
      pack: { ...schema, workflow: pack },
      bill: { ...schema, workflow: { app: 'billing', name: 'close' }, approval: {} },
    });
    const first = { 'support/1': { data: call(['pack', { id: 'o-1' }], ['bill', { id: 'o-2' }]) } };
    const approval = { data: { status: 'approved', args: {}, editedArgs: { id: 'o-3' }, ...decided } };
    expect((await pass(w, { memo: { ...first, 'support/1/bill/approval': approval } })).opcodes).toMatchObject([
      { op: 'RunWorkflow', name: 'support/1/pack', childApp: 'default', childName: 'w', childData: { id: 'o-1' } },
      { op: 'RunWorkflow', name: 'support/1/bill', childApp: 'billing', childName: 'close', childData: { id: 'o-3' } },
    ]);
    const request = await nextRequest(w, {
      ...first,
      'support/1/bill/approval': approval,
      'support/1/pack': { data: 'packed' },
      'support/1/bill': { error: { name: 'Error', message: 'no account' } },
    });
    expect(request.messages?.at(-1)).toMatchObject({
      content: [{ output: 'packed' }, { isError: true, output: 'no account' }],
    });
  });

  it('ends with a MaxTurnsError, for good, and does not execute the tools of the last turn', async () => {
    let executions = 0;
    const w = support({ add: { ...schema, execute: () => (executions += 1) } }, { maxTurns: 2 });
    const { passes, answer } = await play(w, turns(call(['add', {}]), call(['add', {}])));
    expect(passes).toEqual([['support/1'], ['support/1/add'], ['support/2'], []]);
    expect(answer).toMatchObject({
      status: 500,
      retriable: false,
      error: { name: 'MaxTurnsError', message: expect.stringContaining('"support" has no answer after 2 turns') },
    });
    expect(executions).toBe(1);
  });

  it('calls the model 20 times at most', async () => {
    const w = support({ add: { ...schema, execute: () => 1 } });
    const { passes, answer } = await play(w, turns(...Array.from({ length: 25 }, () => call(['add', {}]))));
    expect(passes.flat().filter((name) => /^support\/\d+$/.test(name))).toHaveLength(20);
    expect(answer).toMatchObject({ status: 500, error: { name: 'MaxTurnsError' } });
  });

  it('gives an agent of a repeated id names of its own, also side by side', async () => {
    const w = workflow(async ({ step }) => {
      const tools = { add: { ...schema, execute: () => 1 } };
      const ask = (prompt: string) => step.ai.agent('a', { model: 'm', prompt, tools });
      const answers = await Promise.all([ask('one'), ask('two')]);
      return answers.map(({ text }) => text);
    });
    const { passes, answer } = await play(w, {
      wake: [
        ['a:1/1', call(['add', {}])],
        ['a:1/2', say('second')],
        ['a/1', call(['add', {}])],
        ['a/2', say('first')],
      ],
    });
    expect(passes.flat()).toEqual(['a/1', 'a:1/1', 'a:1/1/add', 'a:1/2', 'a/1/add', 'a/2']);
    expect(answer.data).toEqual(['first', 'second']);
  });

  it('has an object that fits its output', async () => {
    const w = workflow(async ({ step }) => {
      const output = z.object({ urgent: z.boolean() });
      const { object } = await step.ai.agent('support', { model: 'm', prompt: 'p', tools: {}, output });
      return object?.urgent;
    });
    expect((await play(w, turns(say('{}', { object: { urgent: true } })))).answer.data).toBe(true);
  });

  it('throws what is not the failure of a step', async () => {
    const w = support({ nap: { ...schema, workflow: { name: '' } } });
    expect(await pass(w, { memo: { 'support/1': { data: call(['nap', {}]) } } })).toMatchObject({
      status: 500,
      retriable: false,
      error: { name: 'TypeError' },
    });
  });

  test.each([
    ['tools', { tools: undefined }, 'the tools of step "support" must be an object'],
    ['a tool', { tools: { a: 1 } }, 'tool "a" of step "support" must be an object'],
    ['no action', { tools: { a: { ...schema } } }, 'tool "a" of step "support" needs either execute or workflow'],
    ['both', { tools: { a: { execute: () => 1, workflow: {} } } }, 'needs either execute or workflow'],
    ['an execute', { tools: { a: { execute: 1 } } }, 'the execute of tool "a" of step "support" must be a function'],
    ['maxTurns', { maxTurns: 0 }, 'the maxTurns of step "support" must be a whole number from 1; it is 0'],
    ['a prompt and messages', { messages: [] }, 'needs either a prompt or messages; it has both'],
  ])('refuses a request with an invalid field, before any step: %s', async (_name, more, message) => {
    expect(await pass(support({}, more))).toMatchObject({
      status: 500,
      opcodes: [],
      retriable: false,
      error: { name: 'TypeError', message: expect.stringContaining(message) },
    });
  });

  it('types the input of a tool by its schema, and the object by the output', () => {
    workflow(async ({ step }) => {
      const { object, text, messages } = await step.ai.agent('typed', {
        model: 'm',
        messages: [{ role: 'user', content: 'q' }],
        output: z.object({ ok: z.boolean() }),
        tools: {
          refund: {
            inputSchema: z.object({ cents: z.number() }),
            approval: { risk: 'high', summary: ({ cents }) => `refund ${cents.toFixed()}` },
            execute: ({ cents }, { signal }) => {
              expectTypeOf(cents).toBeNumber();
              expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
            },
          },
          find: {
            inputSchema: { type: 'object' },
            execute: (input: { id: string }) => input.id,
          },
          pack: { inputSchema: z.object({ id: z.string() }), workflow: { name: 'pack' } },
        },
      });
      expectTypeOf(object).toEqualTypeOf<{ ok: boolean } | undefined>();
      expectTypeOf(text).toEqualTypeOf<string | undefined>();
      await step.ai.agent('on', { model: 'm', messages: [...messages, { role: 'user', content: 'more' }], tools: {} });
      // @ts-expect-error a tool needs something to do
      const idle: AgentTool = { inputSchema: {} };
      // @ts-expect-error no such effect of a timeout
      const odd: AgentTool = { inputSchema: {}, execute: () => 1, approval: { onTimeout: 'x' } };
      await step.ai.agent('x', { model: 'm', prompt: 'q', tools: { idle, odd } });
    });
  });
});
