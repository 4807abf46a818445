import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Holdfast } from '../../../sdk/src/index.ts';
import { testRun } from '../../../sdk/src/testing/index.ts';

const hf = new Holdfast({ app: 'shop' });

const refund = hf.workflow({ id: 'refund' }, async ({ event, step }) => {
  const paid = await step.run('pay back', () => 'really paid');
  await step.sleep('cool off', '1d');
  const { isLarge } = Object(event.data);
  if (isLarge) await step.run('tell the boss', () => 'really told');
  return paid;
});
const parent = hf.workflow({ id: 'parent' }, ({ step }) => step.runWorkflow('the child', refund, { data: {} }));
const asked = hf.workflow({ id: 'asked' }, ({ step }) => step.ai.generate('judge', { model: 'm', prompt: 'p' }));

const warnings: string[] = [];
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation((text) => void warnings.push(text));
});
afterEach(() => {
  vi.restoreAllMocks();
  warnings.length = 0;
});

describe('fakes that a run did not use', () => {
  it('are listed, of steps and of children, as long as nothing used them', async () => {
    const t = await testRun(parent, {
      workflows: [refund],
      steps: { 'tell the boss': 1, 'pay back': 'p1' },
      children: { refnd: 2 },
    });
    expect(t.unusedFakes).toEqual(['tell the boss', 'refnd']);
    await t.settled();
    expect(t.result).toBe('p1');
    expect(t.unusedFakes).toEqual(['tell the boss', 'refnd']);
  });

  it('are none if a repeated step, each attempt or a child uses its fake', async () => {
    const t = await testRun(parent, { children: { refund: 'r1' } });
    expect([t.result, t.unusedFakes]).toEqual(['r1', []]);
    const twice = hf.workflow({ id: 'twice' }, async ({ step }) => [
      await step.run('x', () => 0),
      await step.run('x', () => 0),
    ]);
    const numbered = await testRun(twice, { steps: { x: 1, 'x:1': 2, 'x:2': 3 } });
    expect([numbered.result, numbered.unusedFakes]).toEqual([[1, 2], ['x:2']]);
  });

  it('draw no warning on the other branch of the handler', async () => {
    const t = await testRun(refund, { steps: { 'pay back': 'p1', 'tell the boss': 1, 'never there': 2 } });
    await t.settled();
    expect(t.unusedFakes).toEqual(['tell the boss', 'never there']);
    expect(warnings).toEqual([]);
  });

  it.each(['pay bakc', 'Pay back', 'pay', 'pay back now'])(
    'draw a warning if a step ran that %j means',
    async (name) => {
      const t = await testRun(refund, { steps: { [name]: 'p1' } });
      expect(warnings).toEqual([]);
      await t.settled();
      await t.advance('1d');
      expect(t.result).toBe('really paid');
      expect(warnings).toEqual([
        `holdfast: no step of the test used the fake "${name}"; perhaps it is meant for "pay back", which ran without a fake`,
      ]);
    },
  );

  it('draw a warning if their step takes none', async () => {
    const t = await testRun(refund, { steps: { 'pay back': 1, 'cool off': null } });
    await t.settled();
    expect(warnings).toEqual([
      'holdfast: no step of the test used the fake "cool off": fakes do not apply to step.sleep',
    ]);
  });

  it('are named by the error of a missing result', async () => {
    const t = await testRun(asked, { steps: { jugde: 'yes', other: 1 } });
    expect(() => t.result).toThrow(
      /^run of "asked" is failed: .*inference is not configured.*; no step used the fakes "jugde", "other"$/,
    );
    const waits = await testRun(refund, { steps: { 'pay bakc': 'p1' } });
    expect(() => waits.result).toThrow(/is waiting; it waits for sleep .*; no step used the fake "pay bakc"$/);
  });
});
