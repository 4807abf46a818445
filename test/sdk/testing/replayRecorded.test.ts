import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AnyWorkflow, Holdfast, type StepTools } from '../../../sdk/src/index.ts';
import { type RunFixture, replayRecorded } from '../../../sdk/src/testing/index.ts';

type Handler = (step: StepTools, attempt: number) => Promise<unknown>;

const workflowOf = (handler: Handler): AnyWorkflow =>
  new Holdfast({ app: 'shop', apiKey: 'k' }).workflow({ id: 'fulfil' }, ({ step, run }) => handler(step, run.attempt));

const at = '2026-01-01T00:00:00.000Z';
const row = (name: string, index: number, more: object = {}) => ({
  ...{ name, index, attempt: 1, status: 'succeeded' as const, output: `${name} done`, startedAt: at, endedAt: at },
  ...more,
});

/** A recorded run of `recorded`: charge, sleep, pack. */
const fixture: RunFixture = {
  version: 1,
  run: {
    ...{ id: 'run-1', app: 'shop', workflow: 'fulfil', status: 'succeeded', triggerKind: 'event', attempt: 1 },
    ...{ eventName: 'fulfil', input: { orderId: 'o1' }, createdAt: at, result: 'pack done' },
  },
  steps: [row('charge', 0), row('cool off', 1, { output: null, input: { sleepMs: 1000 } }), row('pack', 2)],
  order: ['charge', 'cool off', 'pack'],
};

const recorded: Handler = async (step) => {
  await step.run('charge', () => expect.fail('a body was executed'));
  await step.sleep('cool off', '1s');
  return step.run('pack', () => 'packed');
};

const divergence = (handler: Handler, of = fixture): Promise<string> =>
  replayRecorded(workflowOf(handler), of).then(
    () => 'none',
    (error: Error) => `${error.name}: ${error.message}`.split('. Runs under way')[0] ?? '',
  );

describe('replayRecorded', () => {
  it('passes for the code that was recorded, and executes no body', async () => {
    expect(await replayRecorded(workflowOf(recorded), fixture)).toEqual({
      ...{ passes: 4, added: [], status: 'succeeded', result: 'pack done' },
    });
  });

  it('passes for steps that are added at the end, and for another result', async () => {
    const longer: Handler = async (step) => {
      await recorded(step, 1);
      return step.run('thank', () => 'thanks');
    };
    expect(await replayRecorded(workflowOf(longer), fixture)).toMatchObject({ added: ['thank'], status: 'waiting' });
    const other: Handler = async (step) => ({ was: await recorded(step, 1) });
    expect(await replayRecorded(workflowOf(other), fixture)).toMatchObject({ result: { was: 'pack done' } });
  });

  it('names a new step before recorded ones', async () => {
    const checked: Handler = async (step) => {
      await step.run('check stock', () => true);
      return recorded(step, 1);
    };
    expect(await divergence(checked)).toBe(
      'DivergenceError: workflow "fulfil" diverges from run run-1: step "check stock" is new, and comes before the recorded step "charge"',
    );
  });

  it('names a step that is gone, one that moved, and one before which the handler ends or throws', async () => {
    const tail = async (step: StepTools) => step.run('pack', () => 1);
    expect(
      await divergence(async (step) => {
        await step.run('charge', () => 1);
        return tail(step);
      }),
    ).toContain('step "pack" now comes before step "cool off"');
    expect(
      await divergence(async (step) => {
        await step.sleep('cool off', '1s');
        await step.run('charge', () => 1);
        return tail(step);
      }),
    ).toContain('step "cool off" now comes before step "charge"');
    expect(await divergence(async (step) => step.run('charge', () => 1))).toContain(
      'the handler ends before step "cool off"',
    );
    expect(
      await divergence(async (step) => {
        await step.run('charge', () => 1);
        throw new Error('out of stock');
      }),
    ).toContain('the handler throws before step "cool off": Error: out of stock');
  });

  it('names a step that became another kind of step', async () => {
    expect(
      await divergence(async (step) => {
        await step.run('charge', () => 1);
        await step.run('cool off', () => 1);
        return step.run('pack', () => 1);
      }),
    ).toContain('step "cool off" was step.sleep, and is step.run now');
    expect(await divergence(async (step) => step.waitForEvent('charge', { event: 'x' }))).toContain(
      'step "charge" was step.run, and is step.waitForEvent now',
    );
  });

  it('lets branches side by side be written in another order, and races keep their winner', async () => {
    const steps = [row('a', 0), row('b', 1), row('c', 2)];
    const raced = { ...fixture, steps, order: ['b', 'a', 'c'] };
    const race: Handler = async (step) => {
      const won: unknown = await Promise.race([step.run('a', () => 1), step.run('b', () => 1)]);
      return won === 'b done' ? step.run('c', () => 1) : step.run('d', () => 1);
    };
    expect(await divergence(race, raced)).toBe('none');
    const turned: Handler = async (step) => {
      const won: unknown = await Promise.race([step.run('b', () => 1), step.run('a', () => 1)]);
      return won === 'b done' ? step.run('c', () => 1) : step.run('d', () => 1);
    };
    expect(await divergence(turned, raced)).toBe('none');
  });

  it('replays a handler that threw and was retried, and a run that is under way', async () => {
    const retried = { ...fixture, run: { ...fixture.run, attempt: 2 } };
    const flaky: Handler = async (step, attempt) => {
      await step.run('charge', () => 1);
      if (attempt === 1) throw new Error('once');
      await step.sleep('cool off', '1s');
      return step.run('pack', () => 1);
    };
    expect(await divergence(flaky, retried)).toBe('none');
    const underWay: RunFixture = {
      ...fixture,
      run: { ...fixture.run, status: 'waiting' },
      steps: [row('charge', 0), row('cool off', 1, { status: 'waiting', output: undefined, input: { sleepMs: 1000 } })],
      order: ['charge'],
    };
    expect(await replayRecorded(workflowOf(recorded), underWay)).toMatchObject({ status: 'waiting', added: [] });
    expect(await divergence(async (step) => step.run('charge', () => 1), underWay)).toContain(
      'the handler ends before step "cool off"',
    );
  });

  it('replays a handler that threw beside a step whose retry was pending, and reached others when it was retried', async () => {
    const beside: Handler = async (step, attempt) => {
      const slow = step.run('call the courier', () => 1);
      if (attempt === 1) throw new Error('once');
      await step.run('pack', () => 1);
      await Promise.all([slow, step.sleep('cool off', '1s'), Promise.reject(new Error('for good'))]);
    };
    const failed = { status: 'failed' as const, output: undefined, error: { message: 'busy' }, willRetry: false };
    const ended: RunFixture = {
      ...fixture,
      run: { ...fixture.run, attempt: 2, status: 'failed', result: null },
      steps: [row('call the courier', 0, failed), row('pack', 1), row('cool off', 2, { status: 'cancelled' })],
      order: ['pack'],
    };
    expect(await replayRecorded(workflowOf(beside), ended)).toMatchObject({ added: [], status: 'failed' });
    const shorter: Handler = async (step, attempt) => {
      const slow = step.run('call the courier', () => 1);
      if (attempt === 1) throw new Error('once');
      await step.run('pack', () => 1);
      await Promise.all([slow, Promise.reject(new Error('for good'))]);
    };
    expect(await divergence(shorter, ended)).toContain('before step "cool off"');
  });

  it('reads a fixture from its file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fixture-'));
    try {
      await expect(replayRecorded(workflowOf(recorded), join(folder, 'none.json'))).rejects.toThrow('ENOENT');
      expect(await readFile(new URL('../../../sdk/package.json', import.meta.url), 'utf8')).toContain('./testing');
      await expect(
        replayRecorded(workflowOf(recorded), new URL('../../../sdk/package.json', import.meta.url)),
      ).rejects.toThrow('holds no fixture of recordRun');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
