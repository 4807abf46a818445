import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';
import { openFlowScene } from '../flow/flowScene.ts';

const test = useEngine({ clock: new ManualClock() });

afterAll(() => void vi.restoreAllMocks());

describe('an answer with side effects', () => {
  it('holds no connection while it waits for another, because many of them would deadlock', async () => {
    const { db, lanes } = test.engine;
    const inTransaction = new AsyncLocalStorage<boolean>();
    const transaction = db.transaction.bind(db);
    const ensure = lanes.ensure.bind(lanes);
    vi.spyOn(db, 'transaction').mockImplementation((work) => inTransaction.run(true, () => transaction(work)));
    const looks: boolean[] = [];
    vi.spyOn(lanes, 'ensure').mockImplementation((keys) => {
      looks.push(inTransaction.getStore() === true);
      return ensure(keys);
    });
    const project = await openFlowScene(
      test,
      [{ name: 'parent' }, { name: 'child' }, { name: 'heard', triggers: [{ event: 'ping' }] }],
      (request) => {
        if (request.ctx.workflow !== 'parent' || memoOf(request, 'call')) return complete('done');
        return steps([
          { op: 'RunWorkflow', name: 'call', childName: 'child' },
          { op: 'Emit', name: 'ping', eventName: 'ping', data: {} },
        ]);
      },
    );
    await project.trigger('parent');
    await project.settle();
    expect(await project.runs()).toHaveLength(3);
    expect(looks.length).toBeGreaterThanOrEqual(3);
    expect(looks).not.toContain(true);
  });
});
