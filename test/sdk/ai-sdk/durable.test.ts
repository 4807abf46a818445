import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { durable } from '../../../sdk/src/ai-sdk/index.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { type AiSdk, aiSdks, answer, deltas, type Generated, streamed, text, toolCall } from '../support/aiSdk.ts';
import { pass, play } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);

for (const sdk of await aiSdks()) {
  const { ai, LanguageModel, EmbeddingModel } = sdk;
  const wrapped = (model: InstanceType<AiSdk['LanguageModel']>, options = {}) =>
    ai.wrapLanguageModel({ model, middleware: durable(options) });
  const generating = (generated: Generated) => new LanguageModel({ modelId: 'm-1', doGenerate: async () => generated });

  describe(`durable() with ${sdk.name}`, () => {
    it('makes a call a step with its usage, and answers later passes from it', async () => {
      const model = generating(text('because'));
      const w = workflow(async ({ step }) => {
        const { text, usage } = await ai.generateText({ model: wrapped(model), prompt: 'why?' });
        await step.run('tell', () => null);
        return { text, tokens: usage.inputTokens };
      });
      const first = await pass(w);
      expect(first.opcodes).toEqual([
        expect.objectContaining({
          op: 'StepRun',
          name: 'ai.generate',
          data: expect.objectContaining({ content: [{ type: 'text', text: 'because' }] }),
          usage: {
            model: 'm-1',
            tokensIn: 12,
            tokensOut: 3,
            cachedTokensIn: 4,
            cacheWriteTokensIn: 2,
            reasoningTokens: 1,
            latencyMs: expect.any(Number),
          },
        }),
      ]);
      const { answer, passes } = await play(w);
      expect(passes).toEqual([['ai.generate'], ['tell'], []]);
      expect(answer).toMatchObject({ status: 200, data: { text: 'because', tokens: 12 } });
      expect(model.doGenerateCalls).toHaveLength(2);
    });

    it('lets a call outside of a run through', async () => {
      const model = wrapped(generating(text('hello')));
      const embedding = new EmbeddingModel({ doEmbed: { embeddings: [[1, 2]], warnings: [] } });
      const stream = wrapped(new LanguageModel({ doStream: streamed(deltas('hel', 'lo')) }));
      expect((await ai.generateText({ model, prompt: 'hi' })).text).toBe('hello');
      expect(await ai.streamText({ model: stream, prompt: 'hi' }).text).toBe('hello');
      const embedder = ai.wrapEmbeddingModel({ model: embedding, middleware: durable() });
      expect((await ai.embed({ model: embedder, value: 'a' })).embedding).toEqual([1, 2]);
    });

    it('records a streamed call, and replays it delta by delta', async () => {
      const parts = deltas('a', 'b', 'c');
      const model = new LanguageModel({ modelId: 'm-1', doStream: async () => streamed(parts) });
      const w = workflow(async ({ step }) => {
        const result = ai.streamText({ model: wrapped(model), prompt: 'spell' });
        const read: string[] = [];
        for await (const delta of result.textStream) read.push(delta);
        await step.run('tell', () => null);
        return { read, id: (await result.response).id, finish: await result.finishReason };
      });
      const { opcodes } = await pass(w);
      expect(opcodes).toMatchObject([{ name: 'ai.stream', usage: { model: 'm-1', tokensIn: 12, tokensOut: 3 } }]);
      const { answer, passes } = await play(w);
      expect(passes).toEqual([['ai.stream'], ['tell'], []]);
      expect(answer).toMatchObject({ status: 200, data: { read: ['a', 'b', 'c'], finish: 'stop' } });
      expect(model.doStreamCalls).toHaveLength(2);
    });

    it('drives an agent: each model call is a step, also streamed', async () => {
      const tools = { add: ai.tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a + 1 }) };
      const turns = [answer([toolCall('c1', 'add', { a: 1 })]), text('it is 2')];
      const streams = [
        () => streamed([toolCall('c1', 'add', { a: 1 })], 'tool-calls'),
        () => streamed(deltas('it is ', '2')),
      ];
      const model = new LanguageModel({
        doGenerate: async ({ prompt }) => turns[prompt.length > 1 ? 1 : 0] ?? text(''),
        doStream: async ({ prompt }) => (streams[prompt.length > 1 ? 1 : 0] ?? (() => streamed([])))(),
      });
      const agent = new ai.ToolLoopAgent({ model: wrapped(model), tools });
      const generated = await play(workflow(async () => (await agent.generate({ prompt: 'add' })).text));
      expect(generated.passes).toEqual([['ai.generate'], ['ai.generate:1'], []]);
      expect(generated.answer).toMatchObject({ status: 200, data: 'it is 2' });
      const flow = await play(workflow(async () => (await agent.stream({ prompt: 'add' })).text));
      expect(flow.passes).toEqual([['ai.stream'], ['ai.stream:1'], []]);
      expect(flow.answer).toMatchObject({ status: 200, data: 'it is 2' });
      expect([model.doGenerateCalls.length, model.doStreamCalls.length]).toEqual([2, 2]);
    });

    it('gives structured output', async () => {
      const model = generating(text('{"city":"Rome"}'));
      const output = ai.Output.object({ schema: z.object({ city: z.string() }) });
      const w = workflow(
        async () => (await ai.generateText({ model: wrapped(model), output, prompt: 'where?' })).output,
      );
      expect((await play(w)).answer).toMatchObject({ status: 200, data: { city: 'Rome' } });
    });

    it('makes embeddings steps', async () => {
      const model = new EmbeddingModel({
        modelId: 'e-1',
        maxEmbeddingsPerCall: 2,
        supportsParallelCalls: true,
        doEmbed: async ({ values }) => ({
          embeddings: values.map((value) => [value.length]),
          usage: { tokens: values.length },
          warnings: [],
          response: { body: 'secret' },
        }),
      });
      const embedder = ai.wrapEmbeddingModel({ model, middleware: durable() });
      const w = workflow(async () => {
        const { embeddings, usage } = await ai.embedMany({ model: embedder, values: ['a', 'bb', 'ccc'] });
        return { embeddings, usage: usage.tokens };
      });
      const first = await pass(w);
      expect(first.opcodes).toMatchObject([
        { name: 'ai.embed', usage: { model: 'e-1', tokensIn: 2 } },
        { name: 'ai.embed:1' },
      ]);
      expect(JSON.stringify(first.opcodes)).not.toContain('secret');
      expect((await play(w)).answer).toMatchObject({ status: 200, data: { embeddings: [[1], [2], [3]], usage: 3 } });
    });

    it('keeps dates, bytes and URLs, and drops the bodies of request and response', async () => {
      const bytes = new Uint8Array([0, 255, 7]);
      const url = new URL('https://example.com/a');
      const file = sdk.version === 'v3' ? bytes : { type: 'data', data: bytes };
      const timestamp = new Date('2030-01-01T00:00:00.123Z');
      const model = generating(
        answer([{ type: 'file', mediaType: 'image/png', data: file as Uint8Array }], {
          request: { body: 'secret prompt' },
          response: { id: 'r-1', timestamp, modelId: 'm-2', headers: { 'x-id': 'h' }, body: 'secret answer' },
          providerMetadata: { p: { url: url as never, $holdfast: 'kept', list: [bytes as never] } },
        }),
      );
      let seen: unknown;
      const w = workflow(async () => {
        const { files, response, providerMetadata } = await ai.generateText({ model: wrapped(model), prompt: 'draw' });
        const { id, modelId, timestamp, headers } = response;
        seen = { id, modelId, timestamp, headers, bytes: files[0]?.uint8Array, p: providerMetadata?.p };
      });
      expect(JSON.stringify((await pass(w)).opcodes)).not.toContain('secret');
      await play({ ...w });
      expect(seen).toEqual({
        id: 'r-1',
        modelId: 'm-2',
        timestamp,
        headers: { 'x-id': 'h' },
        bytes,
        p: { url, $holdfast: 'kept', list: [bytes] },
      });
    });

    it('counts the model that answered', async () => {
      const model = generating(text('a', { response: { modelId: 'm-1-2030' } }));
      const w = workflow(() => ai.generateText({ model: wrapped(model), prompt: 'q' }).then(({ text }) => text));
      expect((await pass(w)).opcodes).toMatchObject([{ usage: { model: 'm-1-2030' } }]);
    });

    it('gives an answer without id and time one of each, which later passes repeat', async () => {
      const model = generating(text('a'));
      const seen: unknown[] = [];
      const w = workflow(async ({ step }) => {
        const { response } = await ai.generateText({ model: wrapped(model), prompt: 'q' });
        seen.push({ id: response.id, timestamp: response.timestamp });
        await step.run('tell', () => null);
      });
      await play(w);
      expect(seen).toHaveLength(2);
      expect(seen[0]).toEqual(seen[1]);
    });

    it('leaves retries to the step: one call in each pass, and none after the last attempt', async () => {
      const error = () =>
        new ai.APICallError({
          message: 'busy',
          url: 'u',
          requestBodyValues: { prompt: 'secret' },
          statusCode: 500,
          isRetryable: true,
        });
      const model = new LanguageModel({
        doGenerate: async () => Promise.reject(error()),
        doStream: async () => Promise.reject(error()),
      });
      const call = workflow(() =>
        ai.generateText({ model: wrapped(model), prompt: 'q', maxRetries: 5 }).then(({ text }) => text),
      );
      const first = await pass(call);
      expect(first.opcodes).toMatchObject([{ name: 'ai.generate', error: { message: 'busy' } }]);
      expect(JSON.stringify(first.opcodes)).not.toContain('secret');
      const spent = { name: 'AI_APICallError', message: 'busy' };
      expect(await pass(call, { memo: { 'ai.generate': { error: spent } } })).toMatchObject({
        status: 500,
        error: spent,
      });
      expect(model.doGenerateCalls).toHaveLength(1);

      const stream = workflow(async () => {
        const result = ai.streamText({ model: wrapped(model), prompt: 'q', maxRetries: 5, onError: () => {} });
        const errors: unknown[] = [];
        for await (const part of result.fullStream) if (part.type === 'error') errors.push(String(part.error));
        return errors;
      });
      expect((await pass(stream)).opcodes).toMatchObject([{ name: 'ai.stream', error: { message: 'busy' } }]);
      expect(await pass(stream, { memo: { 'ai.stream': { error: spent } } })).toMatchObject({
        status: 200,
        data: ['AI_APICallError: busy'],
      });
      expect(model.doStreamCalls).toHaveLength(1);
    });

    it('waits as long as the provider asks before the next attempt', async () => {
      const responseHeaders = { 'retry-after': '3' };
      const error = new ai.APICallError({
        message: 'busy',
        url: 'u',
        requestBodyValues: {},
        statusCode: 429,
        responseHeaders,
      });
      const model = new LanguageModel({ doGenerate: () => Promise.reject(error) });
      const w = workflow(() => ai.generateText({ model: wrapped(model), prompt: 'q' }).then(({ text }) => text));
      expect((await pass(w)).opcodes).toMatchObject([{ name: 'ai.generate', retryAfterMs: 3000 }]);
    });

    it('fails the step for an error inside a stream', async () => {
      const parts = [...deltas('a'), { type: 'error', error: new Error('overloaded') } as const];
      const model = new LanguageModel({ doStream: streamed(parts) });
      const w = workflow(async () => ai.streamText({ model: wrapped(model), prompt: 'q' }).text);
      expect((await pass(w)).opcodes).toMatchObject([{ name: 'ai.stream', error: { message: 'overloaded' } }]);
    });

    it('is refused inside the body of a step', async () => {
      const model = generating(text('a'));
      const w = workflow(({ step }) =>
        step.run('outer', () => ai.generateText({ model: wrapped(model), prompt: 'q' }).then(({ text }) => text)),
      );
      expect((await pass(w)).opcodes).toMatchObject([
        {
          name: 'outer',
          retriable: false,
          error: { name: 'NestedStepError', message: expect.stringContaining('"ai.generate"') },
        },
      ]);
      expect(model.doGenerateCalls).toHaveLength(0);
    });

    it('stops at the cap of the run', async () => {
      const model = generating(text('a'));
      const w = workflow(() => ai.generateText({ model: wrapped(model), prompt: 'q' }).then(({ text }) => text));
      const { opcodes } = await pass(w, { ctx: { ai: { tokens: 10, maxTokens: 10 } } });
      expect(opcodes).toMatchObject([{ retriable: false, error: { name: 'BudgetError' } }]);
      expect(model.doGenerateCalls).toHaveLength(0);
    });

    it('takes an id and limits of its own', async () => {
      const model = new LanguageModel({ doGenerate: async () => Promise.reject(new Error('no')) });
      const durably = wrapped(model, { id: 'support', retry: { maxAttempts: 4 } });
      const w = workflow(() => ai.generateText({ model: durably, prompt: 'q' }).then(({ text }) => text));
      expect((await pass(w)).opcodes).toMatchObject([{ name: 'support', retry: { maxAttempts: 4 } }]);
    });

    it('does not mix passes that run at the same time', async () => {
      const model = new LanguageModel({
        doGenerate: async ({ prompt }) => {
          await new Promise(setImmediate);
          return text(JSON.stringify(prompt).replace(/\D/g, ''));
        },
        doStream: async ({ prompt }) => streamed(deltas(JSON.stringify(prompt).replace(/\D/g, ''))),
      });
      const shared = wrapped(model);
      const w = workflow<string>(async ({ event }) => {
        const { n } = event.data as { n: number };
        const [one, two] = await Promise.all([
          ai.generateText({ model: shared, prompt: `${n}` }),
          ai.streamText({ model: shared, prompt: `${n}` }).text,
        ]);
        const last = await ai.generateText({ model: shared, prompt: `${n}` });
        return `${one.text} ${two} ${last.text}`;
      });
      const runs = await Promise.all(
        Array.from({ length: 20 }, (_, n) => play(w, { event: { id: 'e', name: 'e', data: { n } } })),
      );
      expect(runs.map(({ answer }) => answer.data)).toEqual(runs.map((_, n) => `${n} ${n} ${n}`));
      expect(runs[0]?.passes).toEqual([['ai.stream', 'ai.generate'], ['ai.generate:1'], []]);
    });
  });
}
