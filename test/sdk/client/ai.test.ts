import { describe, expect, it } from 'vitest';
import { type AiSpend, HoldfastApiError, type ProviderCheck, type WaitingFor } from '../../../sdk/src/index.ts';
import { clientOf, json } from '../support/httpDouble.ts';

const figures = { calls: 2, tokensIn: 10, tokensOut: 5, tokens: 15, cacheHits: 0, cacheEligible: 0, unknown: 1 };
const spend: AiSpend = {
  totals: { ...figures, cost: 0.5, avgLatencyMs: 40 },
  byHour: [{ ...figures, bucket: '2030-01-01T00:00:00.000Z' }],
  byModel: [{ ...figures, model: 'm-1', avgLatencyMs: 40 }],
  byWorkflow: [{ ...figures, app: 'shop', workflow: 'ask' }],
};

describe('models', () => {
  it('a provider is checked by its name, and a key that it refuses is no error', async () => {
    const answer: ProviderCheck = { provider: 'my groq', ok: false, latencyMs: 12, error: 'the provider answered 401' };
    const { hf, seen } = await clientOf((_seen, response) => json(response, 200, answer));
    expect(await hf.ai.providers.check('my groq')).toEqual(answer);
    expect(seen).toMatchObject([{ method: 'POST', url: '/ai/providers/my%20groq/check', body: '' }]);
  });

  it('a provider without a key is an error with status 501', async () => {
    const { hf } = await clientOf((_seen, response) => json(response, 501, { error: 'inference is not configured' }));
    const refused = hf.ai.providers.check('anthropic');
    await expect(refused).rejects.toThrow(HoldfastApiError);
    await expect(refused).rejects.toMatchObject({ status: 501, message: 'inference is not configured' });
  });

  it('the name of a provider is text', async () => {
    const { hf, seen } = await clientOf((_seen, response) => json(response, 200, {}));
    await expect(hf.ai.providers.check('')).rejects.toThrow('the name of the provider must be a string');
    expect(seen).toEqual([]);
  });

  it('spend is read in full, or of an app, a workflow and a period', async () => {
    const { hf, seen } = await clientOf((_seen, response) => json(response, 200, spend));
    expect(await hf.ai.spend()).toEqual(spend);
    await hf.ai.spend({ app: 'shop', workflow: 'ask', since: new Date(0), bucket: 86_400 });
    expect(seen.map(({ url }) => url)).toEqual([
      '/ai/spend',
      '/ai/spend?app=shop&workflow=ask&bucket=86400&since=1970-01-01T00%3A00%3A00.000Z',
    ]);
  });

  it('a run that waits for a model says which lane it waits for', async () => {
    const waitingFor: WaitingFor = {
      kind: 'inference',
      step: 'ask',
      inference: {
        provider: 'anthropic',
        model: 'm-1',
        keyFrom: 'project',
        inFlight: 0,
        limit: 1,
        waiting: 3,
        heldUntil: '2030-01-01T00:00:00.000Z',
        heldFor: '529 overloaded_error',
      },
    };
    const { hf } = await clientOf((_seen, response) => json(response, 200, { id: 'r', status: 'waiting', waitingFor }));
    const { waitingFor: told } = await hf.runs.get('r');
    expect(told?.inference?.heldFor).toBe('529 overloaded_error');
    expect(told).toEqual(waitingFor);
  });
});
