import { readFile } from 'node:fs/promises';
import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { decideApproval } from '../../../src/engine/approvals/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun, pauseRun, retryRunFromStep } from '../../../src/engine/control/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { lifecycleKinds } from '../../../src/engine/lifecycle/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { useEngine } from '../../support/engine.ts';
import { meet } from '../../support/meeting.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, type Script, steps, thrown } from '../../support/scriptedRunner.ts';
import { settleAll } from '../../support/settleAll.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const hour = 3_600_000;
const ok = (name: string, data: unknown = 1) => ({ op: 'StepRun' as const, name, data });

interface Endpoint {
  kinds?: readonly string[];
  app?: string;
  enabled?: boolean;
}

interface Hooked extends Pick<WireWorkflow, 'retry'> {
  endpoints?: Endpoint[];
}

/** A scene with endpoints; `told` lists what they were told of a run, oldest first. */
async function hookedScene(script: Script, { endpoints = [{}], ...workflow }: Hooked = {}) {
  const scene = await openScene(test, script, { name: 'flow', ...workflow });
  const ids: string[] = [];
  for (const { kinds = lifecycleKinds, app, enabled = true } of endpoints) {
    const id = newId();
    ids.push(id);
    const row = { id, projectId: scene.projectId, url: `http://127.0.0.1/${id}`, scheme: 'service' };
    await test.db.prisma.webhookEndpoint.create({
      data: { ...row, eventKinds: [...kinds], app: app ?? null, enabled },
    });
  }
  const rows = (runId: string) =>
    test.db.prisma.webhookDelivery.findMany({ where: { runId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  const told = async (runId: string): Promise<string[]> => {
    const all = await rows(runId);
    return all.map(({ eventKind, stepIndex, stepAttempt, runStatus }) =>
      [eventKind, ...(stepIndex === null ? [] : [`${stepIndex}/${stepAttempt}`]), runStatus].join(' '),
    );
  };
  return { ...scene, ids, rows, told };
}

describe('a lifecycle delivery', () => {
  it('exists once for each step that settled and for the end of its run', async () => {
    const { dispatcher, start, told, rows, ids } = await hookedScene((request) => {
      if (!memoOf(request, 'a')) return steps([ok('a')]);
      if (!memoOf(request, 'b')) return steps([{ op: 'StepRun', name: 'b', data: 'no need', skipped: true }]);
      return complete(1);
    });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await told(runId)).toEqual([
      'step.succeeded 0/1 running',
      'step.skipped 1/1 running',
      'run.succeeded succeeded',
    ]);
    const deliveries = await rows(runId);
    expect(deliveries.map(({ endpointId, status }) => [endpointId, status])).toEqual(
      deliveries.map(() => [ids[0], 'pending']),
    );
    const work = await test.db.prisma.webhookWork.findMany({
      where: { deliveryId: { in: deliveries.map(({ id }) => id) } },
    });
    expect(work.map(({ lane, leaseId }) => [lane, leaseId])).toEqual(deliveries.map(() => [ids[0], null]));
  });

  it('is written by the commit also if the process does not know of the endpoint yet', async () => {
    const { dispatcher, start, told, projectId } = await hookedScene(() => complete(1), { endpoints: [] });
    await test.engine.registry.snapshot(projectId);
    const id = newId();
    const row = { id, projectId, url: 'http://127.0.0.1/new', scheme: 'service', eventKinds: ['run.succeeded'] };
    await test.db.prisma.webhookEndpoint.create({ data: row });
    const runId = await start();
    const written: string[] = [];
    onFailPoint((point) => void written.push(point));
    await dispatcher.runOnce();
    onFailPoint(undefined);
    expect(written).toContain('commitEnd:before');
    expect(written).toContain('commitPasses:before');
    expect(await told(runId)).toEqual(['run.succeeded succeeded']);
  });

  it('goes to each endpoint that is enabled, of its app or of all, and subscribes to the kind', async () => {
    const endpoints = [
      { kinds: ['run.succeeded'] },
      { app: 'default', kinds: ['run.succeeded', 'run.failed'] },
      { app: 'other' },
      { enabled: false },
      { kinds: ['run.failed', 'step.failed'] },
    ];
    const { dispatcher, start, rows, ids } = await hookedScene(() => complete(1), { endpoints });
    const runId = await start();
    await dispatcher.runOnce();
    const told = (await rows(runId)).map(({ endpointId }) => endpointId);
    expect(told.sort()).toEqual([ids[0], ids[1]].sort());
  });

  it('is dead from the start if the service has disabled its endpoint, so that it can be redelivered', async () => {
    const { dispatcher, start, rows, ids } = await hookedScene(() => complete(1), { endpoints: [{ enabled: false }] });
    await test.db.query('update webhook_endpoint set disabled_at = now() where id = $1', [ids[0]]);
    const runId = await start();
    await dispatcher.runOnce();
    const [delivery, ...others] = await rows(runId);
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ eventKind: 'run.succeeded', status: 'dead', attemptCount: 0 });
    expect(await test.db.prisma.webhookWork.findMany({ where: { deliveryId: delivery?.id ?? '' } })).toEqual([]);
  });

  it('of a failed step waits for its last attempt', async () => {
    const { dispatcher, start, told } = await hookedScene(
      (request) => {
        if (memoOf(request, 'flaky')) return complete('caught');
        return steps([{ op: 'StepRun', name: 'flaky', error: { message: 'no luck' } }]);
      },
      { retry: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 1000 } },
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await told(runId)).toEqual([]);
    clock.advance(1200);
    await dispatcher.runOnce();
    expect(await told(runId)).toEqual(['step.failed 0/2 running', 'run.succeeded succeeded']);
  });

  it('tells of a run that failed together with its step', async () => {
    const { dispatcher, start, told } = await hookedScene(() =>
      steps([{ op: 'StepRun', name: 's', error: { message: 'never' }, retriable: false }, ok('t')]),
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect((await told(runId)).sort()).toEqual([
      'run.failed failed',
      'step.failed 0/1 failed',
      'step.succeeded 1/1 failed',
    ]);
  });

  it('tells of logs and waits nothing, and of a sleep when it has ended', async () => {
    const { dispatcher, start, told } = await hookedScene((request) =>
      memoOf(request, 'nap') ? complete(1) : steps([{ op: 'Sleep', name: 'nap', sleepMs: hour }]),
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await told(runId)).toEqual([]);
    clock.advance(hour);
    await dispatcher.runOnce();
    expect(await told(runId)).toEqual(['step.succeeded 0/1 queued', 'run.succeeded succeeded']);
  });

  it('tells of a sleep that ended while the run was executing', async () => {
    const { dispatcher, start, told } = await hookedScene((request) => {
      if (!memoOf(request, 'nap')) return steps([{ op: 'Sleep', name: 'nap', sleepMs: 5 }, ok('a')]);
      clock.advance(10);
      if (!memoOf(request, 'b')) return steps([ok('b')]);
      return complete(1);
    });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await told(runId)).toContain('step.succeeded 0/1 running');
    expect(await told(runId)).toHaveLength(4);
  });

  it('tells of a wait that an event ended, of a call whose child ended, and of a decided approval', async () => {
    const { dispatcher, start, told, projectId } = await hookedScene((request) => {
      if (JSON.stringify(request.event.data) === '"child"') return complete('small');
      const results = ['paid', 'call', 'sign'].map((name) => memoOf(request, name));
      if (results.every((memo) => memo && 'data' in memo)) return complete(1);
      return steps([
        { op: 'WaitForEvent', name: 'paid', eventName: 'paid' },
        { op: 'RunWorkflow', name: 'call', childName: 'flow', childData: 'child' },
        { op: 'Approval', name: 'sign', tool: 'refund', data: {} },
      ]);
    });
    const runId = await start();
    await settleAll(test.engine, dispatcher);
    expect(await told(runId)).toEqual(['step.succeeded 1/1 queued']);
    await sendEvent(test.engine, { projectId, input: { name: 'paid' } });
    await settleAll(test.engine, dispatcher);
    const { id: approvalId } = await test.db.prisma.approval.findFirstOrThrow({ where: { runId } });
    const decider = { decidedBy: 'me', decidedVia: 'api' } as const;
    await decideApproval(test.engine, {
      projectId,
      approvalId,
      status: 'denied',
      args: undefined,
      decider,
      actor: 'me',
    });
    await settleAll(test.engine, dispatcher);
    expect(await told(runId)).toEqual([
      'step.succeeded 0/1 queued',
      'step.succeeded 1/1 queued',
      'step.succeeded 2/1 queued',
      'run.succeeded succeeded',
    ]);
  });

  it('tells the status of a run that was paused just before its wait ended', async () => {
    const { dispatcher, start, told, projectId } = await hookedScene((request) =>
      memoOf(request, 'paid') ? complete(1) : steps([{ op: 'WaitForEvent', name: 'paid', eventName: 'paid' }]),
    );
    const runId = await start();
    await dispatcher.runOnce();
    await meet(test.db, {
      at: 'pauseRuns:after',
      first: () => pauseRun(test.engine, { projectId, runId, actor: 'me' }),
      second: () => sendEvent(test.engine, { projectId, input: { name: 'paid' } }),
    });
    await settleAll(test.engine, dispatcher);
    expect(await told(runId)).toEqual(['step.succeeded 0/1 paused']);
  });

  it('tells of each cancelled run of a subtree, and of no step that its end cancelled', async () => {
    const { dispatcher, start, told, projectId } = await hookedScene((request) =>
      JSON.stringify(request.event.data) === '"child"'
        ? steps([{ op: 'Sleep', name: 'nap', sleepMs: hour }])
        : steps([{ op: 'RunWorkflow', name: 'call', childName: 'flow', childData: 'child' }]),
    );
    const runId = await start();
    await dispatcher.runOnce();
    const child = await test.db.prisma.run.findFirstOrThrow({ where: { parentRunId: runId } });
    await cancelRun(test.engine, { projectId, runId, actor: 'me' });
    await settleAll(test.engine, dispatcher);
    expect(await told(runId)).toEqual(['run.cancelled cancelled']);
    expect(await told(child.id)).toEqual(['run.cancelled cancelled']);
  });

  it('tells of a run that failed for want of a runner', async () => {
    const { start, told } = await hookedScene(() => complete(1));
    const runId = await start();
    await test.db.query("update runner set connected = false, last_seen_at = 'epoch'");
    await lookAfterStranded(test.engine);
    clock.advance(hour);
    await failOverdueRuns(test.engine);
    expect(await told(runId)).toEqual(['run.failed failed']);
  });

  it('tells of none of the steps that a retry from a step carried over', async () => {
    let isBroken = true;
    const { dispatcher, start, told, projectId } = await hookedScene((request) => {
      if (!memoOf(request, 'a')) return steps([ok('a')]);
      if (!memoOf(request, 'b')) return steps([ok('b')]);
      return isBroken ? thrown({ message: 'broken' }) : complete(1);
    });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await told(runId)).toHaveLength(3);
    isBroken = false;
    const retried = await retryRunFromStep(test.engine, { projectId, runId, step: 'b', actor: 'me' });
    await dispatcher.runOnce();
    expect(await told(retried.id)).toEqual(['step.succeeded 1/1 running', 'run.succeeded succeeded']);
  });

  it('of runs that are committed together is the same as of runs that are committed alone', async () => {
    const { dispatcher, start, told } = await hookedScene((request) =>
      memoOf(request, 'a') ? complete(1) : steps([ok('a')]),
    );
    const runIds = await Promise.all(Array.from({ length: 30 }, () => start()));
    await dispatcher.runOnce();
    for (const runId of runIds) {
      expect(await told(runId)).toEqual(['step.succeeded 0/1 running', 'run.succeeded succeeded']);
    }
  });
});

describe('every statement that writes frames', () => {
  /** These write no end of a run or step. `forkRuns` copies steps that ended in another run. */
  const silent = [
    'claimWork',
    'forkRuns',
    'gateRuns',
    'ingestIntakes',
    'ingestStarts',
    'insertWarnings',
    'leaseWork',
    'pauseRuns',
    'recordStarted',
    'releaseLeases',
    'removeDispatcher',
    'beatDispatcher',
    'resumeRuns',
    'reviveRuns',
    'strandRuns',
  ];

  it('tells endpoints of ends, leaves their runs to one that does, or writes no end', async () => {
    const snapshot = await readFile(new URL('../../../prisma/statements.snapshot.sql', import.meta.url), 'utf8');
    const statements = snapshot.split(/^-- (?=\w+$)/m).filter((text) => text.includes('insert into run_frame'));
    const nameOf = (text: string): string => text.slice(0, text.indexOf('\n'));
    expect(statements.length).toBeGreaterThan(silent.length);
    const others = statements.filter((text) => !silent.includes(nameOf(text)));
    const untold = others.filter(
      (text) => !/insert into webhook_delivery|not exists \(select from webhook_endpoint/.test(text),
    );
    expect(untold.map(nameOf)).toEqual([]);
  });
});
