import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { durable, durableTools } from '../../../sdk/src/ai-sdk/index.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { aiSdks, answer, type CallOptions, text, toolCall } from '../support/aiSdk.ts';
import { pass, play } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);
const decided = { decidedBy: 'ada', decidedVia: 'api', decidedAt: '2030-01-01T00:00:00.000Z' };

for (const { name, ai, LanguageModel } of await aiSdks()) {
  const refund = (execute: (input: { cents: number }, options: { abortSignal?: AbortSignal }) => unknown) =>
    ai.tool({ description: 'refund', inputSchema: z.object({ cents: z.number() }), execute });

  /** A model that calls tools once, and then answers. Keeps the prompts of the second turn. */
  function calling(...calls: ReturnType<typeof toolCall>[]) {
    const told: CallOptions['prompt'][] = [];
    const model = new LanguageModel({
      doGenerate: async ({ prompt }) => {
        if (prompt.length === 1) return answer(calls);
        told.push(prompt);
        return text('done');
      },
    });
    return { model: ai.wrapLanguageModel({ model, middleware: durable() }), told };
  }

  describe(`durableTools() with ${name}`, () => {
    it('makes each execution a step of its own, side by side, with its input', async () => {
      let executions = 0;
      const tools = durableTools({
        refund: refund(({ cents }) => {
          executions += 1;
          return { refunded: cents };
        }),
      });
      const { model, told } = calling(toolCall('c1', 'refund', { cents: 1 }), toolCall('c2', 'refund', { cents: 2 }));
      const w = workflow(async () =>
        ai.generateText({ model, tools, prompt: 'q', stopWhen: ai.stepCountIs(5) }).then(({ text }) => text),
      );
      const { answer, passes } = await play(w);
      expect(passes).toEqual([['ai.generate'], ['refund', 'refund:1'], ['ai.generate:1'], []]);
      expect(answer).toMatchObject({ status: 200, data: 'done' });
      expect(executions).toBe(2);
      expect(JSON.stringify(told[0])).toContain('{"refunded":2}');
    });

    it('executes as it is outside of a run', async () => {
      const tools = durableTools({ refund: refund(({ cents }) => cents) }, { refund: { approval: { risk: 'high' } } });
      const { model, told } = calling(toolCall('c1', 'refund', { cents: 7 }));
      await ai.generateText({ model, tools, prompt: 'q', stopWhen: ai.stepCountIs(5) });
      expect(told[0]?.at(-1)).toMatchObject({ content: [{ output: { type: 'json', value: 7 } }] });
    });

    it('keeps dates and bytes of results', async () => {
      // The library itself cannot clone a URL.
      const result = { at: new Date(0), bytes: new Uint8Array([1]) };
      let seen: unknown;
      const tools = durableTools({ refund: refund(() => result) });
      const { model } = calling(toolCall('c1', 'refund', { cents: 1 }));
      const w = workflow(async () => {
        const { toolResults } = await ai.generateText({ model, tools, prompt: 'q' });
        seen = toolResults[0]?.output;
      });
      await play(w);
      expect(seen).toEqual(result);
    });

    it('tells the model of an error, after the attempts of the step', async () => {
      const tools = durableTools({ refund: refund(() => Promise.reject(new Error('no funds'))) });
      const { model, told } = calling(toolCall('c1', 'refund', { cents: 1 }));
      const w = workflow(async () =>
        ai.generateText({ model, tools, prompt: 'q', stopWhen: ai.stepCountIs(5) }).then(({ text }) => text),
      );
      const { answer, passes } = await play(w);
      expect(passes).toEqual([['ai.generate'], ['refund'], ['ai.generate:1'], []]);
      expect(answer).toMatchObject({ status: 200, data: 'done' });
      expect(told[0]?.at(-1)).toMatchObject({
        content: [{ output: { type: 'error-text', value: expect.stringContaining('no funds') } }],
      });
    });

    it('asks for an approval first, and executes with the edited arguments, of which the model reads', async () => {
      const amounts: number[] = [];
      const tools = durableTools(
        { refund: refund(({ cents }) => amounts.push(cents)) },
        { refund: { approval: { risk: 'high', summary: 'refund?', timeout: '1d', onTimeout: 'reject' } } },
      );
      const { model, told } = calling(toolCall('c1', 'refund', { cents: 100 }), toolCall('c2', 'refund', { cents: 5 }));
      const w = workflow(async () =>
        ai.generateText({ model, tools, prompt: 'q', stopWhen: ai.stepCountIs(5) }).then(({ text }) => text),
      );
      const asked = await pass(w, { memo: (await first(w)).memo });
      expect(asked.opcodes).toEqual([
        expect.objectContaining({
          op: 'Approval',
          name: 'refund/approval',
          tool: 'refund',
          data: { cents: 100 },
          risk: 'high',
          summary: 'refund?',
          timeoutMs: 86_400_000,
          onTimeout: 'reject',
        }),
        expect.objectContaining({ name: 'refund:1/approval', data: { cents: 5 } }),
      ]);
      const { answer, passes } = await play(w, {
        wake: [
          ['refund:1/approval', { status: 'denied', args: { cents: 5 }, ...decided }],
          ['refund/approval', { status: 'approved', args: { cents: 60 }, editedArgs: { cents: 60 }, ...decided }],
        ],
      });
      expect(passes.flat()).toEqual(['ai.generate', 'refund/approval', 'refund:1/approval', 'refund', 'ai.generate:1']);
      expect(answer).toMatchObject({ status: 200, data: 'done' });
      expect(amounts).toEqual([60]);
      expect(told[0]?.at(-1)).toMatchObject({
        content: [
          { output: { type: 'json', value: { note: expect.stringContaining('{"cents":60}'), result: 1 } } },
          { output: { type: 'error-text', value: expect.stringContaining('denied by ada') } },
        ],
      });
    });

    it('names the step of a call by its place among the calls, whichever is approved first', async () => {
      const tools = durableTools({ refund: refund(({ cents }) => cents) }, { refund: { approval: {} } });
      const { model } = calling(toolCall('c1', 'refund', { cents: 1 }), toolCall('c2', 'refund', { cents: 2 }));
      const w = workflow(async () => ai.generateText({ model, tools, prompt: 'q' }).then(({ text }) => text));
      const { memo } = await first(w);
      const approved = { data: { status: 'approved', args: { cents: 2 }, ...decided } };
      const { opcodes } = await pass(w, {
        memo: { ...memo, 'refund:1/approval': approved, 'refund/approval': { pending: true } },
      });
      expect(opcodes).toMatchObject([{ name: 'refund:1', data: 2, input: { cents: 2 } }]);
    });

    it('takes the last result of a tool that yields several, and leaves tools without execute alone', async () => {
      async function* yielding() {
        yield 'working';
        yield 'ready';
      }
      const onClient = ai.tool({ inputSchema: z.object({}) });
      const tools = durableTools({ refund: refund(yielding), onClient });
      expect(tools.onClient).toBe(onClient);
      const { model } = calling(toolCall('c1', 'refund', { cents: 1 }));
      const w = workflow(async () => {
        const { toolResults } = await ai.generateText({ model, tools, prompt: 'q' });
        return toolResults.map(({ output }) => output);
      });
      expect((await play(w)).answer).toMatchObject({ status: 200, data: ['ready'] });
    });
  });

  /** The memo after the first pass. */
  async function first(w: ReturnType<typeof workflow>) {
    const { opcodes } = await pass(w);
    const [opcode] = opcodes;
    if (opcode?.op !== 'StepRun') throw new Error('the first pass has no model call');
    return { memo: { [opcode.name]: { data: opcode.data } } };
  }
}

it('a policy for a tool that does not exist is refused', () => {
  // @ts-expect-error no such tool
  expect(() => durableTools({ a: {} }, { b: {} })).toThrow('durableTools has a policy for "b", which is not a tool');
});
