import { describe, expect, it, test } from 'vitest';
import { Prices } from '../../../sdk/src/ai/prices.ts';
import { type AiOptions, Holdfast, HoldfastConfigError, serve, signatureHeader } from '../../../sdk/src/index.ts';
import type { InferText } from '../../../sdk/src/protocol.ts';

/** The request of `step.ai.generate` in a handler of a client with these defaults. */
async function sent(ai: AiOptions, request: object): Promise<InferText> {
  const hf = new Holdfast({ apiKey: 'k', ai });
  hf.workflow({ id: 'w' }, ({ step }) => step.ai.generate('ask', { prompt: 'x', ...request }));
  const ctx = { runId: 'r', workflow: 'w', attempt: 1, app: 'default', runner: '' };
  const reply = await hf.invoke({ event: { name: 'e' }, steps: {}, ctx }, new AbortController().signal);
  return JSON.parse(reply?.body ?? '').opcodes[0].data;
}

describe('new Holdfast({ ai })', () => {
  const price = { input: 3, output: 15 };

  it('gives requests their provider, model and price', async () => {
    const ai = { provider: 'openai', model: 'gpt-5', prices: { 'gpt-*': price } };
    expect(await sent(ai, {})).toEqual({ prompt: 'x', provider: 'openai', model: 'gpt-5', price });
  });

  it('holds for its workflows, also where they are served without the client', async () => {
    const hf = new Holdfast({ apiKey: 'k', ai: { model: 'gpt-5', prices: { '*': price } } });
    const w = hf.workflow({ id: 'w' }, ({ step }) => step.ai.generate('ask', { prompt: 'x' }));
    const ctx = { runId: 'r', workflow: 'w', attempt: 1, app: 'default', runner: '' };
    const body = JSON.stringify({ event: { name: 'e' }, steps: {}, ctx });
    const headers = { 'x-service-signature': signatureHeader(body, 's') };
    const handler = serve({ workflows: [w], invokeSecret: 's' });
    const response = await handler(new Request('http://test/', { method: 'POST', body, headers }));
    expect(await response.json()).toMatchObject({ opcodes: [{ data: { model: 'gpt-5', price } }] });
  });

  it('comes after what a request states', async () => {
    const ai = { provider: 'openai', model: 'gpt-5', prices: { '*': price } };
    const own = { provider: 'anthropic', model: 'claude', price: { input: 1, output: 2, cacheRead: 0 } };
    expect(await sent(ai, own)).toEqual({ prompt: 'x', ...own });
  });

  it('states nothing that nobody stated', async () => {
    expect(await sent({}, { model: 'm' })).toEqual({ prompt: 'x', model: 'm' });
    expect(await sent({ prices: { n: price } }, { model: 'm' })).toEqual({ prompt: 'x', model: 'm' });
  });

  test.each([
    [{ model: '' }, 'ai.model must be a string'],
    [{ provider: 7 }, 'ai.provider must be a string'],
    [[], 'ai must be an object'],
    [{ prices: [] }, 'ai.prices must be an object'],
    [{ prices: { m: 3 } }, 'ai.prices["m"] must be { input, output'],
    [{ prices: { m: { input: 3 } } }, 'ai.prices["m"] has an invalid output: undefined'],
    [{ prices: { m: { input: -1, output: 1 } } }, 'ai.prices["m"] has an invalid input: -1'],
    [{ prices: { m: { input: 1, output: 1, cacheRead: '0' } } }, 'ai.prices["m"] has an invalid cacheRead: "0"'],
    [{ prices: { m: { input: 1, output: 1, cached: 1 } } }, 'ai.prices["m"] has an unknown field "cached"'],
    [{ prices: { '': price } }, 'ai.prices[""] names no model'],
    [{ prices: { 'a*b': price } }, 'ai.prices["a*b"] may have * at its end only'],
  ])('refuses %j at once', (ai, message) => {
    const make = (): Holdfast => new Holdfast({ apiKey: 'k', ai: ai as AiOptions });
    expect(make).toThrow(HoldfastConfigError);
    expect(make).toThrow(message);
  });
});

it('of several prices the longest match counts, and a name in full before any prefix', () => {
  const at = (input: number) => ({ input, output: 0 });
  const prices = new Prices({ '*': at(1), 'gpt-5': at(4), 'gpt-*': at(2), 'gpt-5*': at(3), 'gpt-5-mini*': at(5) });
  const of = (model: string): number | undefined => prices.of(model)?.input;
  expect(['x', 'gpt-4', 'gpt-5-pro', 'gpt-5', 'gpt-5-mini-1'].map(of)).toEqual([1, 2, 3, 4, 5]);
  expect(new Prices({ 'gpt-5': at(4) }).of('gpt-5-pro')).toBeUndefined();
});
