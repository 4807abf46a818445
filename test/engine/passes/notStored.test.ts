import { afterEach, describe, expect, it, vi } from 'vitest';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { busy } from '../../../src/engine/errors.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { releaseSuspects } from '../../../src/engine/work/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { complete, steps } from '../../support/scriptedRunner.ts';

const test = useEngine();
afterEach(() => onFailPoint(undefined));

const away = (): Error => Object.assign(new Error('the database system is shutting down'), { code: '57P01' });

/** Statements of these names fail with that error, as often as said. Answers how many have. */
function failing(names: readonly string[], error: Error, times = Number.POSITIVE_INFINITY): () => number {
  let failed = 0;
  onFailPoint((point) => {
    if (failed === times || !names.some((name) => point === `${name}:before`)) return;
    failed += 1;
    throw error;
  });
  return () => failed;
}

const commits = ['commitEnd', 'commitPlain', 'commitPasses'];

/** A run with a runner, whose answer has come. */
async function answered() {
  const scene = await openScene(test, () => complete('done'));
  const runId = await scene.start();
  const [pass] = await scene.dispatcher.claim();
  if (!pass) throw new Error('nothing was claimed');
  const work = () => test.db.prisma.runWork.findUnique({ where: { runId } });
  return {
    ...scene,
    pass,
    work,
    run: () => scene.run(runId),
    settle: () => settlePass(test.engine, pass, complete('done')),
  };
}

describe('an answer that cannot be committed', () => {
  it('S1: for a transient reason is committed later, and is not lost', async () => {
    const { run, settle } = await answered();
    const failed = failing(commits, away(), 3);
    expect(await settle()).toBe('released');
    expect(failed()).toBe(3);
    expect(await run()).toMatchObject({ status: 'succeeded', result: 'done' });
  });

  it('S2: waits while the guards of its project take all turns', async () => {
    const { pass, run } = await answered();
    const refused = vi.spyOn(test.engine.slices, 'run').mockRejectedValueOnce(busy());
    const waiting = steps([{ op: 'WaitForEvent', name: 'wait', eventName: 'paid', eventIf: 'data.id == 7' }]);
    expect(await settlePass(test.engine, pass, waiting)).toBe('released');
    expect(refused).toHaveBeenCalledTimes(2);
    expect(await run()).toMatchObject({ status: 'waiting' });
  });

  it('S2: for a permanent reason fails its run with that reason', async () => {
    const { run, settle } = await answered();
    failing(commits, new Error('no'), 1);
    expect(await settle()).toBe('released');
    expect(await run()).toMatchObject({
      status: 'failed',
      error: { message: 'the answer of the runner could not be stored' },
    });
  });

  it('S2: is released if not even that can be recorded, and its run is executed again', async () => {
    const { dispatcher, run, settle, work } = await answered();
    failing(commits, new Error('no'));
    expect(await settle()).toBe('released');
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    onFailPoint(undefined);
    await dispatcher.runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded' });
  });

  it('S2: is released later if that fails, too', async () => {
    const { dispatcher, settle, work } = await answered();
    failing([...commits, 'releaseLeases'], new Error('no'));
    expect(await settle()).toBe('released');
    expect(await work()).toMatchObject({ state: 'leased', leaseId: dispatcher.id });
    await expect(releaseSuspects(test.engine, dispatcher.id)).rejects.toThrow('no');
    onFailPoint(undefined);
    await releaseSuspects(test.engine, dispatcher.id);
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
  });
});
