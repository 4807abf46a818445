import { describe, expect, test } from 'vitest';
import { setProviderKey } from '../../../src/engine/inference/index.ts';
import { ask, useSite } from './site.ts';

const prices = { 'some-*': { input: 1, output: 10, cacheRead: 0.5 } };
const site = useSite({ inference: { prices } });
const ofProject = (fields: { provider: string; apiKey: string; baseUrl?: string }) =>
  setProviderKey(site.test.engine, { projectId: site.scene.projectId, ...fields });

/** The only step of a run that asked once, after the call. */
async function answered(fields: Parameters<typeof ask>[0]) {
  const runId = await site.asks(ask(fields));
  await site.caller().runOnce();
  const [step] = await site.steps(runId);
  return { runId, step };
}

describe('an Infer step', () => {
  test('gets the answer of the model as its memo, and its run goes on', async () => {
    const usage = { input: 12, output: 4, cacheRead: 8 };
    site.fake.answers({ text: ['Hello, ', 'you.'], usage, model: 'some-model-1' });
    const runId = await site.asks(ask());
    expect(await site.scene.run(runId)).toMatchObject({ status: 'waiting' });
    await site.caller().runOnce();
    const [step] = await site.steps(runId);
    expect(step).toMatchObject({
      status: 'succeeded',
      input: { model: 'some-model', offloaded: true },
      output: {
        text: 'Hello, you.',
        content: [{ type: 'text', text: 'Hello, you.' }],
        model: 'some-model-1',
        finishReason: 'stop',
        usage: { tokensIn: 20, tokensOut: 4, cachedTokensIn: 8, cost: 0.000056 },
      },
      usage: { model: 'some-model', tokensIn: 20, tokensOut: 4, cost: 0.000056, latencyMs: expect.any(Number) },
      ai: {
        provider: 'anthropic',
        model: 'some-model',
        finishReason: 'stop',
        sends: [{ number: 1, outcome: 'answered', status: 200, tokensIn: 20, tokensOut: 4 }],
      },
    });
    expect(step?.ai).not.toHaveProperty('cacheHit');
    expect(await site.scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await site.calls()).toEqual([]);
    expect(site.fake.ledger).toHaveLength(1);
  });

  test('begins on a hint, without a poll', async () => {
    site.caller().start();
    const runId = await site.asks(ask());
    await (await site.fake.received()).closed;
    await expect.poll(() => site.calls()).toEqual([]);
    expect((await site.steps(runId))[0]).toMatchObject({ status: 'succeeded', output: { text: 'Hello.' } });
  });

  test('asks side by side', async () => {
    const runId = await site.asks(ask({ prompt: 'a' }), ask({ prompt: 'b', provider: 'openai' }), ask({ prompt: 'c' }));
    await site.caller().runOnce();
    expect((await site.steps(runId)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(site.fake.ledger.map(({ path }) => path).sort()).toEqual([
      '/v1/chat/completions',
      '/v1/messages',
      '/v1/messages',
    ]);
  });

  test('of the kind embed gets vectors', async () => {
    const { step } = await answered({ kind: 'embed', prompt: undefined, values: ['a', 'b'] });
    expect(step).toMatchObject({
      status: 'succeeded',
      output: { embeddings: [expect.any(String), expect.any(String)], dimensions: 3, model: 'some-model' },
    });
    expect(site.fake.ledger[0]?.path).toBe('/v1/embeddings');
  });

  test('names the fields that it ignored', async () => {
    const { step } = await answered({ temprature: 1 });
    expect(step).toMatchObject({
      status: 'succeeded',
      ai: { warnings: expect.arrayContaining(['ignored: temprature']) },
    });
  });

  test('is priced by its own price before that of the operator', async () => {
    const { step } = await answered({ price: { input: 1_000, output: 0 } });
    expect(step?.usage).toMatchObject({ cost: 0.01 });
    expect((await answered({ model: 'another' })).step?.usage).not.toHaveProperty('cost');
  });

  test('whose request cannot be opened fails, and says why', async () => {
    const runId = await site.asks(ask());
    await site.test.db.query(String.raw`update inference_call set request = '\x0100000000' || request`);
    await site.caller().runOnce();
    expect((await site.steps(runId))[0]).toMatchObject({
      status: 'failed',
      error: { name: 'InferenceError', message: expect.stringMatching(/^the request cannot be opened/) },
    });
    expect(site.fake.ledger).toEqual([]);
  });
});

describe('the key of a call', () => {
  test('is that of the settings unless the project has one', async () => {
    await answered({});
    await ofProject({ provider: 'anthropic', apiKey: 'project-key' });
    await answered({});
    expect(site.fake.ledger.map(({ headers }) => headers['x-api-key'])).toEqual(['settings-key', 'project-key']);
  });

  test('belongs to a custom provider with an address of its own', async () => {
    await ofProject({ provider: 'groq', apiKey: 'groq-key', baseUrl: site.fake.url });
    expect((await answered({ provider: 'groq' })).step).toMatchObject({ status: 'succeeded' });
    expect(site.fake.ledger[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer groq-key' },
    });
  });

  test('is missed by name where others are set', async () => {
    expect((await answered({ provider: 'groq' })).step).toMatchObject({
      status: 'failed',
      error: { name: 'InferenceError', message: 'inference is not configured: no key for groq' },
      ai: { provider: 'groq', sends: [] },
    });
  });

  test('is missed without a name where none is set', async () => {
    const { engine } = site.test;
    engine.settings.inference = { ...engine.settings.inference, providers: {} };
    expect((await answered({})).step).toMatchObject({
      status: 'failed',
      error: { name: 'InferenceError', message: 'inference is not configured' },
    });
  });

  test('that no operator key opens fails the step, and says so', async () => {
    await ofProject({ provider: 'anthropic', apiKey: 'project-key' });
    await site.test.db.query(String.raw`update sealed_secret set sealed = '\x01ffffffff' || substr(sealed, 6)`);
    expect((await answered({})).step).toMatchObject({
      status: 'failed',
      error: { message: 'the key of the provider cannot be opened: set it again' },
    });
    expect(site.fake.ledger).toEqual([]);
  });

  test('counts for a running caller within ten seconds of its change', async () => {
    const caller = site.caller({ accessMs: 60_000 });
    caller.start();
    await site.asks(ask());
    await expect.poll(() => site.calls()).toEqual([]);
    await ofProject({ provider: 'anthropic', apiKey: 'project-key' });
    site.test.engine.bus.emit('registry.changed', { projectId: site.scene.projectId });
    await site.asks(ask());
    await expect.poll(() => site.fake.ledger.map(({ headers }) => headers['x-api-key'])).toHaveLength(2);
    expect(site.fake.ledger[1]?.headers['x-api-key']).toBe('project-key');
  });
});

describe('an answer that does not fit its schema', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };

  test('is asked for again, with what is wrong with it', async () => {
    site.fake.answers({ text: 'no JSON' }, { text: '{"a":1}' });
    const runId = await site.asks(ask({ schema }));
    await site.caller().runOnce();
    expect(await site.calls()).toMatchObject([{ reasked: 1, sends: 1 }]);
    // Another process goes on.
    await site.caller().runOnce();
    const [step] = await site.steps(runId);
    expect(step).toMatchObject({
      status: 'succeeded',
      output: { object: { a: 1 }, text: '{"a":1}', usage: { tokensIn: 10 } },
      usage: { tokensIn: 20, tokensOut: 10 },
      ai: { sends: [{ outcome: 'answered' }, { outcome: 'answered' }] },
    });
    expect(site.fake.ledger[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'no JSON' }] },
      { role: 'user', content: [{ text: expect.stringContaining('the answer is not JSON') }] },
    ]);
    const [first, second] = site.fake.ledger.map(({ idempotencyKey }) => idempotencyKey);
    expect(first).not.toBe(second);
  });

  test('fails the step when it was asked for again in vain', async () => {
    site.fake.always(() => ({ text: 'no JSON' }));
    const runId = await site.asks(ask({ schema, reasks: 2 }));
    const caller = site.caller();
    for (let n = 0; n < 4; n += 1) await caller.runOnce();
    expect((await site.steps(runId))[0]).toMatchObject({
      status: 'failed',
      error: { name: 'InvalidOutputError', message: 'the answer is not JSON' },
    });
    expect(site.fake.ledger).toHaveLength(3);
    expect(await site.usage(runId)).toHaveLength(3);
  });
});
