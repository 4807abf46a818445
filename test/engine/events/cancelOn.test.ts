import type { InvokeRequest, WireWorkflow } from '@holdfast/sdk/protocol';
import { describe, expect, it, vi } from 'vitest';
import { flushDueBuffers, triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { recoverPending, sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { beforeStatement } from '../../support/interruptedDatabase.ts';
import { answer, complete, memoOf, type Script, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { settleAll } from '../../support/settleAll.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

const napping: Script = () => steps([{ op: 'Sleep', name: 'nap', sleepMs: 3_600_000 }]);
const byOrder = { event: 'order.cancelled', if: 'data.id == run.input.id' };

async function openSite(workflows: WireWorkflow[], handlers: Record<string, Script> = {}) {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, workflows);
  const script = (request: InvokeRequest) => (handlers[request.ctx.workflow] ?? napping)(request);
  const dispatcher = await new ScriptedDispatcher(test.engine, script).start();
  return {
    projectId,
    dispatcher,
    settle: () => settleAll(test.engine, dispatcher),
    start: async (name: string, input: unknown = {}): Promise<string> => {
      const trigger = { projectId, app: 'default', name, input: { input: RawJson.of(input) } };
      return (await triggerWorkflow(test.engine, trigger)).runId ?? '';
    },
    send: (name: string, data: unknown = {}, rest: object = {}) =>
      sendEvent(test.engine, { projectId, input: { name, data: RawJson.of(data), ...rest } }),
    statuses: async (runIds: readonly string[]) => {
      const rows = await test.db.prisma.run.findMany({ where: { id: { in: [...runIds] } } });
      return runIds.map((id) => rows.find((row) => row.id === id)?.status);
    },
    run: (id: string) => test.db.prisma.run.findUniqueOrThrow({ where: { id } }),
  };
}

describe('an event of cancelOn', () => {
  it('cancels the unfinished runs for which the guard holds, whatever their state, with the reason', async () => {
    const site = await openSite([{ name: 'order', cancelOn: [byOrder] }]);
    const parked = await site.start('order', { id: 7 });
    const other = await site.start('order', { id: 8 });
    await site.dispatcher.runOnce();
    const queued = await site.start('order', { id: 7 });
    const { eventId } = await site.send('order.cancelled', { id: 7 });
    expect(await site.statuses([parked, queued, other])).toEqual(['cancelled', 'cancelled', 'waiting']);
    const message = `cancelled by event order.cancelled (${eventId})`;
    expect(await site.run(parked)).toMatchObject({ error: { name: 'CancelledByEventError', message } });
    await vi.waitFor(async () => expect(await test.db.prisma.eventPending.count()).toBe(0));
  });

  it('may have a wildcard, and needs no guard; other events and workflows are not concerned', async () => {
    const site = await openSite([{ name: 'all', cancelOn: [{ event: 'stop.*' }] }, { name: 'none' }]);
    const runIds = [await site.start('all'), await site.start('none')];
    await site.send('stopped');
    expect(await site.statuses(runIds)).toEqual(['queued', 'queued']);
    await site.send('stop.now');
    expect(await site.statuses(runIds)).toEqual(['cancelled', 'queued']);
  });

  it('does not cancel a run that it starts itself, nor the batch that it completes', async () => {
    const triggers = [{ event: 'again' }];
    const site = await openSite([
      { name: 'latest', triggers, cancelOn: triggers },
      { name: 'pairs', triggers, cancelOn: triggers, batch: { maxSize: 2, timeoutMs: 3_600_000 } },
    ]);
    const first = await site.send('again');
    const second = await site.send('again');
    expect(await site.statuses([first.runId ?? '', second.runId ?? ''])).toEqual(['cancelled', 'queued']);
    await flushDueBuffers(test.engine);
    const pairs = await test.db.prisma.run.findMany({ where: { projectId: site.projectId, workflow: 'pairs' } });
    expect(pairs.map(({ status }) => status)).toEqual(['queued']);
  });

  it('cancels children with their parent, and a parent can catch the end of its child', async () => {
    const call = () => steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]);
    const site = await openSite(
      [
        { name: 'parent', cancelOn: [{ event: 'stop parent' }] },
        { name: 'child', cancelOn: [{ event: 'stop child' }] },
      ],
      { parent: (request) => (memoOf(request, 'call') ? complete(memoOf(request, 'call')) : call()) },
    );
    const stopped = await site.start('parent');
    await site.settle();
    await site.send('stop parent');
    await site.settle();
    const [child] = await test.db.prisma.run.findMany({ where: { parentRunId: stopped } });
    expect([await site.statuses([stopped]), child?.status]).toEqual([['cancelled'], 'cancelled']);
    const survivor = await site.start('parent');
    await site.settle();
    await site.send('stop child');
    await site.settle();
    const result = { error: { name: 'ChildCancelledError', message: 'the child run was cancelled' } };
    expect(await site.run(survivor)).toMatchObject({ status: 'succeeded', result });
  });

  it('reaches only the app that it is addressed to, and counts as a receiver there', async () => {
    const site = await openSite([{ name: 'all', cancelOn: [{ event: 'stop' }] }]);
    const runId = await site.start('all');
    await expect(site.send('stop', {}, { targetApp: 'elsewhere' })).rejects.toThrow('unregistered workflow');
    await site.send('stop', {}, { targetApp: 'default' });
    expect(await site.statuses([runId])).toEqual(['cancelled']);
  });

  it('does not cancel a failure handler', async () => {
    const site = await openSite([{ name: 'fails', onFailure: true, cancelOn: [{ event: 'stop' }] }], {
      fails: ({ ctx }) => (ctx.onFailure ? napping({} as InvokeRequest) : answer(400, { error: 'no' })),
    });
    const failed = await site.start('fails');
    await site.settle();
    await site.send('stop');
    const followOns = await test.db.prisma.run.findMany({ where: { onFailureOf: failed } });
    expect(followOns.map(({ status }) => status)).toEqual(['waiting']);
  });
});

describe('a process that dies between an event and its cancels', () => {
  it('leaves them to another process', async () => {
    const site = await openSite([{ name: 'all', cancelOn: [{ event: 'stop' }] }]);
    const runId = await site.start('all');
    const db = beforeStatement(test.db, 'findCancellable', () => Promise.reject(new Error('out of memory')));
    const dying = createEngine({ ...test.engine, db });
    await expect(sendEvent(dying, { projectId: site.projectId, input: { name: 'stop' } })).rejects.toThrow('memory');
    expect(await site.statuses([runId])).toEqual(['queued']);
    await test.db.query(`update event_pending set created_at = created_at - interval '1 minute'`);
    await recoverPending(test.engine);
    expect(await site.statuses([runId])).toEqual(['cancelled']);
  });
});

describe('an event that no cancelOn names', () => {
  it('looks for no runs', async () => {
    const site = await openSite([{ name: 'all', cancelOn: [{ event: 'stop' }] }]);
    let looked = 0;
    const db = beforeStatement(test.db, 'findCancellable', async () => {
      looked += 1;
    });
    for (const name of ['go', 'stop'])
      await sendEvent(createEngine({ ...test.engine, db }), { projectId: site.projectId, input: { name } });
    expect(looked).toBe(1);
  });
});

describe('many events of cancelOn at once', () => {
  it('hold the inputs of at most sixteen look-ups', async () => {
    const site = await openSite([{ name: 'all', cancelOn: [byOrder] }]);
    const order = await site.start('all', { id: 7 });
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let held = 0;
    let most = 0;
    const query = async (config: { name?: string }, ...rest: unknown[]): Promise<unknown> => {
      if (config.name !== 'findCancellable') return Reflect.apply(test.db.query, test.db, [config, ...rest]);
      held += 1;
      most = Math.max(most, held);
      if (held === 16) setImmediate(open);
      await opened;
      return Reflect.apply(test.db.query, test.db, [config, ...rest]).finally(() => {
        held -= 1;
      });
    };
    const db = { ...test.db, urgent: undefined, query: query as typeof test.db.query };
    const engine = createEngine({ ...test.engine, db });
    const input = { name: 'order.cancelled', data: RawJson.of({ id: 7 }) };
    await Promise.all(Array.from({ length: 40 }, () => sendEvent(engine, { projectId: site.projectId, input })));
    expect(most).toBe(16);
    expect(await site.statuses([order])).toEqual(['cancelled']);
  });
});
