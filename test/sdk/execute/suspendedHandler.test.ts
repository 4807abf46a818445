import { describe, expect, it } from 'vitest';
import { Leftovers } from '../../../sdk/src/execute/leftovers.ts';
import { beginPass } from '../../../sdk/src/execute/runPass.ts';
import type { Answered } from '../../../sdk/src/execute/suspendedHandler.ts';
import { type AnyWorkflow, Holdfast } from '../../../sdk/src/index.ts';
import type { ContinuedEntry, InvokeContext } from '../../../sdk/src/protocol.ts';
import { hashStepId } from '../../../sdk/src/stepId.ts';

const hf = new Holdfast({ app: 'shop', apiKey: 'none' });

const begin = (
  workflow: AnyWorkflow,
  ctx: Partial<InvokeContext> = {},
  { signal } = new AbortController(),
): Promise<Answered | undefined> =>
  beginPass(
    workflow,
    {
      event: { name: 'start', data: {} },
      steps: {},
      ctx: { runId: 'r', workflow: workflow.name, attempt: 1, app: 'shop', runner: '', ...ctx },
    },
    { leftovers: new Leftovers(), signal },
  );

/** Continues with entries by readable name. */
function goOn(answered: Answered | undefined, entries: Record<string, ContinuedEntry>): Promise<Answered | undefined> {
  const steps = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [hashStepId(name), entry]));
  const handler = answered?.suspended;
  if (handler === undefined) throw new Error('no handler is suspended');
  if (!handler.canTake({ steps })) throw new Error('the handler cannot go on');
  return handler.continue({ steps }, undefined);
}

const bodyOf = (answered: Answered | undefined) => JSON.parse(answered?.reply.body ?? 'null');
const namesOf = (answered: Answered | undefined): string[] =>
  bodyOf(answered).opcodes.map(({ name }: { name: string }) => name);

describe('a suspended handler', () => {
  it('goes on after its saved step, and executes nothing again', async () => {
    const calls: string[] = [];
    const workflow = hf.workflow({ id: 'two steps' }, async ({ step }) => {
      calls.push('handler');
      const first = await step.run('a', () => {
        calls.push('a');
        return { at: new Date(0), none: undefined };
      });
      const second = await step.run('b', () => {
        calls.push('b');
        return 2;
      });
      return { first, second };
    });
    const first = await begin(workflow);
    const second = await goOn(first, { a: { ok: true } });
    const third = await goOn(second, { b: { ok: true } });
    expect([namesOf(first), namesOf(second)]).toEqual([['a'], ['b']]);
    // The result is what a replay would read: JSON.
    expect(bodyOf(third).data).toEqual({ first: { at: '1970-01-01T00:00:00.000Z' }, second: 2 });
    expect(third?.suspended).toBeUndefined();
    expect(calls).toEqual(['handler', 'a', 'b']);
  });

  it('reports how many saved steps it has reached, as its replay would', async () => {
    const workflow = hf.workflow({ id: 'reaches' }, async ({ step }) => {
      for (const name of ['a', 'b', 'c']) await step.run(name, () => name);
    });
    const first = await begin(workflow);
    const second = await goOn(first, { a: { ok: true } });
    const third = await goOn(second, { b: { ok: true } });
    expect([first, second, third].map((each) => bodyOf(each).reached)).toEqual([undefined, 1, 2]);
  });

  it('sends each line once, numbered on', async () => {
    const workflow = hf.workflow({ id: 'talks' }, async ({ step, log }) => {
      log.info('before');
      await step.run('a', () => 1);
      log.info('between');
      await step.run('b', () => 2);
    });
    const first = await begin(workflow);
    const second = await goOn(first, { a: { ok: true } });
    const lines = [first, second].map((each) =>
      bodyOf(each).logs.map(({ index, message }: { index: number; message: string }) => [index, message]),
    );
    expect(lines).toEqual([[[0, 'before']], [[1, 'between']]]);
  });

  it('counts names through all of its passes', async () => {
    const workflow = hf.workflow({ id: 'again and again' }, async ({ step }) => {
      for (let turn = 0; turn < 3; turn += 1) await step.run('turn', () => turn);
    });
    const first = await begin(workflow);
    const second = await goOn(first, { turn: { ok: true } });
    expect(namesOf(await goOn(second, { 'turn:1': { ok: true } }))).toEqual(['turn:2']);
  });

  it('takes what settled meanwhile in the order of the memo, and blocks on what waits', async () => {
    const workflow = hf.workflow({ id: 'races' }, async ({ step }) => {
      const won = await Promise.race([
        step.run('fast', () => 'fast'),
        step.waitForEvent('wait', { event: 'rain' }).then(() => 'heard'),
      ]);
      await step.run('after', () => won);
    });
    const opcodeOf = async (entries: Record<string, ContinuedEntry>) =>
      bodyOf(await goOn(await begin(workflow), entries)).opcodes[0].data;
    expect(await opcodeOf({ fast: { ok: true }, wait: { pending: true } })).toBe('fast');
    expect(await opcodeOf({ wait: { data: null }, fast: { ok: true } })).toBe('heard');
  });

  it('learns of its spend under a cap', async () => {
    const workflow = hf.workflow({ id: 'spends', cap: { maxTokens: 10 } }, async ({ step, run }) => {
      await step.run('a', () => run.ai?.tokens);
      await step.run('b', () => run.ai?.tokens);
    });
    const first = await begin(workflow, { ai: { tokens: 0, maxTokens: 10 } });
    const steps = { [hashStepId('a')]: { ok: true } as const };
    const second = await first?.suspended?.continue({ steps, ai: { tokens: 7, maxTokens: 10 } }, undefined);
    expect(bodyOf(second).opcodes[0].data).toBe(7);
  });

  it('aborts the bodies of its present pass alone, because the results of the others are saved', async () => {
    const aborted: string[] = [];
    const ends = new AbortController();
    const workflow = hf.workflow({ id: 'aborts' }, async ({ step }) => {
      await step.run('a', ({ signal }) => signal.addEventListener('abort', () => aborted.push('a')));
      await step.run('b', ({ signal }) => {
        signal.addEventListener('abort', () => aborted.push('b'));
        ends.abort();
      });
    });
    const second = await goOn(await begin(workflow, {}, ends), { a: { ok: true } });
    expect([second, aborted]).toEqual([undefined, ['b']]);
  });
});

describe('a handler is not suspended', () => {
  it('while it waits for something that is no step', async () => {
    const workflow = hf.workflow({ id: 'own work' }, async ({ step }) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await step.run('a', () => 1);
    });
    expect((await begin(workflow))?.suspended).toBeUndefined();
  });

  it('when its run will wait', async () => {
    const workflow = hf.workflow({ id: 'sleeps' }, async ({ step }) => step.sleep('a', 1000));
    expect((await begin(workflow))?.suspended).toBeUndefined();
  });

  it('after a step that failed', async () => {
    const workflow = hf.workflow({ id: 'fails' }, async ({ step }) => {
      const fail = () => {
        throw new Error('no');
      };
      await Promise.allSettled([step.run('a', fail), step.run('b', () => 2)]);
    });
    expect((await begin(workflow))?.suspended).toBeUndefined();
  });

  it('after it has ended with steps to save', async () => {
    const workflow = hf.workflow({ id: 'does not wait' }, async ({ step }) => {
      void step.run('a', () => 1);
    });
    expect((await begin(workflow))?.suspended).toBeUndefined();
  });
});

describe('a suspended handler cannot go on', () => {
  it('P7: if it moved meanwhile', async () => {
    let move: (() => void) | undefined;
    const moved = new Promise<void>((resolve) => {
      move = resolve;
    });
    const workflow = hf.workflow({ id: 'moves' }, async ({ step }) => {
      const branch = moved.then(() => step.run('b', () => 2));
      await step.run('a', () => 1);
      await branch;
    });
    const first = await begin(workflow);
    const steps = { [hashStepId('a')]: { ok: true } as const };
    expect(first?.suspended?.canTake({ steps })).toBe(true);
    move?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(first?.suspended?.canTake({ steps })).toBe(false);
  });

  it('if the service takes another step for its own', async () => {
    const workflow = hf.workflow({ id: 'misunderstood' }, async ({ step }) => step.run('a', () => 1));
    const first = await begin(workflow);
    expect(first?.suspended?.canTake({ steps: { [hashStepId('b')]: { ok: true } } })).toBe(false);
  });
});
