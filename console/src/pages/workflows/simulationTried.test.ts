import { describe, expect, it } from 'vitest';
import { ceilingOf, definitionOf, inForce, leftOut } from './simulationPolicies.ts';
import { isChanged, readTried, writeTried } from './simulationTried.ts';

const flowControl = {
  concurrency: { limit: 5, key: 'region' },
  throttle: null,
  singleton: { key: null, mode: 'CANCEL' },
  idempotency: { key: 'id', periodMs: null },
  priority: { shiftMs: 5 },
  budget: { maxCost: 1, maxTokens: null, windowMs: 1 },
} as never;
const force = inForce(flowControl, 20);

describe('the policies in force', () => {
  it('are those that can be tried, without what is the default', () => {
    expect(force).toEqual({
      concurrency: { limit: 5, key: 'region' },
      singleton: {},
      idempotency: { key: 'id', periodMs: 86_400_000 },
      ceiling: { limit: 20 },
    });
    expect(inForce(null, 0)).toEqual({});
  });

  it('leave out those about spend', () => {
    expect([leftOut(flowControl), leftOut(null)]).toEqual([['budget'], []]);
  });
});

describe('the tried policies in the URL', () => {
  it('are only those that differ', () => {
    const { singleton: _, ...others } = force;
    const tried = { ...others, concurrency: { limit: 8 }, rateLimit: { limit: 3, perMs: 1_000 } };
    const text = writeTried(tried, force);
    expect(text).toBe('{"concurrency":{"limit":8},"rateLimit":{"limit":3,"perMs":1000},"singleton":null}');
    expect(readTried(text, force)).toEqual(tried);
    expect([isChanged('singleton', tried, force), isChanged('idempotency', tried, force)]).toEqual([true, false]);
  });

  it('are none where all is as in force, in whatever order', () => {
    expect(writeTried({ ...force, concurrency: { key: 'region', limit: 5 } }, force)).toBeUndefined();
    expect(readTried(undefined, force)).toEqual(force);
  });

  it('count as in force where they cannot be', () => {
    const wrong = [
      ...['{', '7', 'null', '[]', '{"cap":{}}', '{"concurrency":{"limit":0}}', '{"concurrency":{"limit":"9"}}'],
      ...['{"concurrency":{}}', '{"concurrency":[]}', '{"concurrency":{"limit":1,"key":"a..b"}}', '{"ceiling":8}'],
    ];
    for (const text of wrong) expect({ text, tried: readTried(text, force) }).toEqual({ text, tried: force });
  });

  it('have no field that a policy lacks', () => {
    expect(readTried('{"singleton":{"mode":"skip","limit":3,"key":7}}', force).singleton).toEqual({ mode: 'skip' });
  });
});

it('the definition lacks the ceiling, which belongs to the project', () => {
  expect(definitionOf(force)).not.toHaveProperty('ceiling');
  expect([ceilingOf(force), ceilingOf({})]).toEqual([20, 0]);
});
