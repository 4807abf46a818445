import { describe, expect, it } from 'vitest';
import { Guards } from '../../../sdk/src/testing/guards.ts';
import { compileGuard } from '../../../src/engine/cel/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { event, holding, notHolding } from '../../engine/cel/examples.ts';

const { limits } = defaultEngineSettings;
const { session: _none, ...guardEvent } = event;

async function judged(source: string, data: unknown = event.data): Promise<{ isGuard: boolean; holds: boolean }> {
  const guards = new Guards();
  await guards.prepare([source]);
  const seen = { ...guardEvent, tags: { ...event.tags }, headers: {}, data };
  return { isGuard: guards.fault(source) === undefined, holds: guards.holds(source, seen) };
}

function judgedByService(source: string): { isGuard: boolean; holds: boolean } {
  try {
    return { isGuard: true, holds: compileGuard(source, limits).evaluate(event) };
  } catch {
    return { isGuard: false, holds: false };
  }
}

describe('a guard in the test kit', () => {
  it.each([...holding, ...notHolding])('means what it means in the service: %s', async (source) => {
    expect(await judged(source)).toEqual(judgedByService(source));
  });

  it.each([
    '',
    'data.a ==',
    'nope.a == 1',
    '1 + 1',
    `data.a == "${'x'.repeat(2000)}"`,
    `${'('.repeat(30)}true${')'.repeat(30)}`,
  ])('is refused where the service refuses it: %j', async (source) => {
    expect(await judged(source)).toEqual({ isGuard: false, holds: false });
    expect(judgedByService(source).isGuard).toBe(false);
  });

  it("reads keys of the payload only, never the prototype's", async () => {
    for (const key of ['constructor', 'toString', 'hasOwnProperty', 'get', 'size'])
      expect((await judged(`has(data.${key})`, {})).holds).toBe(false);
    expect((await judged('data.constructor == "c"', { constructor: 'c' })).holds).toBe(true);
  });

  it('may be given as a function or a value, by its text', async () => {
    const guards = new Guards({ 'data.n > 1': ({ data }) => (data as { n: number }).n > 1, never: false });
    await guards.prepare(['data.n > 1', 'never']);
    expect(guards.holds('data.n > 1', { ...guardEvent, tags: {}, headers: {}, data: { n: 2 } })).toBe(true);
    expect(guards.holds('never', { ...guardEvent, tags: {}, headers: {} })).toBe(false);
  });
});
