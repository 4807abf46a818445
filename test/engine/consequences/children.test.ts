import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { describe, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { drawConsequences, endRuns, recoverConsequences } from '../../../src/engine/consequences/index.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { lockRuns } from '../../../src/engine/work/sql/lockRuns.ts';
import { settleSteps } from '../../../src/engine/work/sql/settleSteps.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { meet } from '../../support/meeting.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { settleAll } from '../../support/settleAll.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

type Handlers = Record<string, Script>;

/** A project whose workflows answer by name; `settle` executes until nothing moves any more. */
async function newScene(handlers: Handlers, extra: Record<string, object> = {}) {
  const projectId = await createTestProject(test.engine);
  const workflows = Object.keys(handlers).map((name) => ({ name, ...extra[name] }));
  await registerWorkflows(test.engine, projectId, workflows);
  const script = (request: InvokeRequest) => {
    const handler = handlers[request.ctx.workflow];
    if (!handler) throw new Error(`nobody handles ${request.ctx.workflow}`);
    return handler(request);
  };
  const dispatcher = await new ScriptedDispatcher(test.engine, script).start();
  const settle = () => settleAll(test.engine, dispatcher);
  const start = async (name: string, tags?: Record<string, string>) => {
    const input = { input: RawJson.of({ n: 1 }), tags };
    const { runId } = await triggerWorkflow(test.engine, { projectId, app: 'default', name, input });
    return runId ?? '';
  };
  const run = (id: string) => test.db.prisma.run.findUniqueOrThrow({ where: { id } });
  const children = (parentRunId: string) =>
    test.db.prisma.run.findMany({ where: { parentRunId }, orderBy: { id: 'asc' } });
  return { projectId, dispatcher, settle, start, run, children };
}

const call = (rest: object = {}) =>
  steps([{ op: 'RunWorkflow', name: 'call', childName: 'child', childData: { x: 1 }, ...rest }]);
const passOn: Script = (request) => (memoOf(request, 'call') ? complete(memoOf(request, 'call')) : call());

describe('a child run', () => {
  it('carries its call edge, one level deeper, and hands its result back to the step', async () => {
    const { settle, start, run, children } = await newScene({
      parent: passOn,
      child: (request) => complete({ got: request.event.data, name: request.event.name }),
    });
    const runId = await start('parent', { who: 'parent' });
    await settle();
    const [child] = await children(runId);
    expect(child).toMatchObject({
      parentStep: 'call',
      parentAttempt: 1,
      depth: 1,
      triggerKind: 'event',
      eventName: 'child',
    });
    expect(child).toMatchObject({ eventId: null, tags: { who: 'parent' }, status: 'succeeded' });
    expect((await run(runId)).result).toEqual({ data: { got: { x: 1 }, name: 'child' } });
    const step = await test.db.prisma.runStep.findFirstOrThrow({ where: { runId } });
    expect(step).toMatchObject({ childRunId: child?.id, status: 'succeeded', op: 'RunWorkflow' });
  });

  it('has its own tags on top of its parent’s', async () => {
    const { settle, start, children } = await newScene({
      parent: (request) => (memoOf(request, 'call') ? complete(1) : call({ childTags: { who: 'child', own: '1' } })),
      child: () => complete(1),
    });
    const runId = await start('parent', { who: 'parent', kept: 'yes' });
    await settle();
    expect((await children(runId))[0]?.tags).toEqual({ who: 'child', own: '1', kept: 'yes' });
  });

  it('that fails gives its error to the step, which is tried again within its budget, each time with a new child', async () => {
    const { settle, start, run, children } = await newScene(
      { parent: passOn, child: () => thrown({ name: 'Sad', message: 'no' }) },
      { parent: { retry: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 1000 } } },
    );
    const runId = await start('parent');
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    clock.advance(1200);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { error: { name: 'Sad', message: 'no' } } });
    expect((await children(runId)).map((child) => child.parentAttempt)).toEqual([1, 2]);
  });

  it('that was the former attempt of its step does nothing to the next, however late its parent is told', async () => {
    let isFirst = true;
    const { settle, start, run } = await newScene(
      {
        parent: passOn,
        child: (request) => {
          if (isFirst) {
            isFirst = false;
            return thrown({ message: 'no' });
          }
          if (!memoOf(request, 'nap')) return steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]);
          return complete('second');
        },
      },
      { parent: { retry: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 1000 } } },
    );
    const runId = await start('parent');
    await settle();
    clock.advance(1200);
    await settle();
    // What a process read before it stood still.
    const late = { runId, stepIndex: 0, attempt: 1, status: 'failed', error: '{"message":"no"}' } as const;
    const settled = await test.db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      const settlements = [{ ...late, output: undefined, retryInMs: 1000, isDecision: false }];
      return settleSteps(tx, { settlements, now: clock.sql() });
    });
    expect(settled).toEqual([]);
    clock.advance(60_000);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { data: 'second' } });
  });

  it('that fails while the handler ends without it leaves no retry announced', async () => {
    const { projectId, dispatcher, settle, start, run } = await newScene(
      {
        parent: (request) =>
          memoOf(request, 'go')
            ? complete('without it')
            : steps([child, { op: 'WaitForEvent', name: 'go', eventName: 'go' }]),
        child: () => thrown({ message: 'no' }),
      },
      { parent: { retry: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 60_000 } } },
    );
    const child = { op: 'RunWorkflow' as const, name: 'call', childName: 'child' };
    const runId = await start('parent');
    for (const pass of await dispatcher.claim()) await dispatcher.drive(pass);
    await sendEvent(test.engine, { projectId, input: { name: 'go' } });
    const passes = await dispatcher.claim();
    const drive = (isParent: boolean) =>
      Promise.all(passes.filter((pass) => (pass.runId === runId) === isParent).map((pass) => dispatcher.drive(pass)));
    const told = async () => expect(await test.db.prisma.runOutcome.count()).toBe(0);
    const fail = () => drive(false).then(() => vi.waitFor(told));
    await meet(test.db, { at: 'settleSteps:after', first: fail, second: () => drive(true) });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'without it' });
    const step = await test.db.prisma.runStep.findFirstOrThrow({ where: { runId, name: 'call' } });
    expect(step).toMatchObject({ status: 'failed', willRetry: false });
  });

  it('of an unknown workflow fails the step', async () => {
    const { settle, start, run } = await newScene({ parent: passOn });
    const runId = await start('parent');
    await settle();
    expect((await run(runId)).result).toEqual({ error: { message: 'workflow child is not registered' } });
  });

  it('is looked for in the parent’s own app first, then in any other', async () => {
    const { projectId, settle, start, children } = await newScene({
      parent: (request) => {
        if (!memoOf(request, 'call')) return call();
        if (!memoOf(request, 'far')) return steps([{ op: 'RunWorkflow', name: 'far', childName: 'only there' }]);
        return complete(1);
      },
      child: () => complete(1),
      'only there': () => complete(1),
    });
    await registerWorkflows(test.engine, projectId, [{ name: 'child' }], { app: 'another', runner: 'r2' });
    const runId = await start('parent');
    await settle();
    expect((await children(runId)).map((child) => [child.workflow, child.app])).toEqual([
      ['child', 'default'],
      ['only there', 'default'],
    ]);
  });

  it('wakes its parent together with all that end at the same time', async () => {
    const names = ['a', 'b', 'c'];
    const { dispatcher, start, run, children, settle } = await newScene({
      parent: (request) => {
        const memos = names.map((name) => memoOf(request, name));
        if (memos.every((memo) => memo !== undefined && !('pending' in memo))) return complete(memos);
        return steps(names.map((name) => ({ op: 'RunWorkflow', name, childName: 'child' })));
      },
      child: () => complete(1),
    });
    const runId = await start('parent');
    for (const pass of await dispatcher.claim()) await dispatcher.drive(pass);
    const ids = (await children(runId)).map(({ id }) => id);
    const ends = ids.map((id) => ({ runId: id, error: undefined }));
    await endRuns(test.engine, { status: 'cancelled', ends, projectId: null, onlyStranded: false, reason: 'enough' });
    await Promise.all(ids.map((id) => drawConsequences(test.engine, [id])));
    expect(await test.db.prisma.runWork.findUnique({ where: { runId } })).toMatchObject({ state: 'ready', wakes: 1 });
    await settle();
    const error = { name: 'ChildCancelledError', message: 'the child run was cancelled' };
    expect((await run(runId)).result).toEqual(names.map(() => ({ error })));
  });

  it('is cancelled with its parent, through the whole tree', async () => {
    const nap = steps([{ op: 'Sleep', name: 'nap', sleepMs: 3_600_000 }]);
    const { projectId, settle, start, run, children } = await newScene({
      parent: passOn,
      child: (request) =>
        memoOf(request, 'deeper') ? complete(1) : steps([{ op: 'RunWorkflow', name: 'deeper', childName: 'leaf' }]),
      leaf: () => nap,
    });
    const runId = await start('parent');
    await settle();
    await cancelRun(test.engine, { projectId, runId, actor: 'test' });
    await settle();
    const [child] = await children(runId);
    const [leaf] = await children(child?.id ?? '');
    expect([await run(runId), child, leaf].map((each) => each?.status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(await test.db.prisma.runWork.count({ where: { projectId } })).toBe(0);
  });

  it('that somebody cancels gives an error to the step, which is not tried again', async () => {
    const { projectId, settle, start, run, children } = await newScene(
      { parent: passOn, child: () => steps([{ op: 'Sleep', name: 'nap', sleepMs: 3_600_000 }]) },
      { parent: { retry: { maxAttempts: 3 } } },
    );
    const runId = await start('parent');
    await settle();
    const [child] = await children(runId);
    await cancelRun(test.engine, { projectId, runId: child?.id ?? '', actor: 'test' });
    await settle();
    expect((await run(runId)).result).toMatchObject({ error: { name: 'ChildCancelledError' } });
  });

  it('tells its parent even when the process died before it could', async () => {
    const { dispatcher, start, run } = await newScene({ parent: passOn, child: () => complete('late') });
    const runId = await start('parent');
    await dispatcher.runOnce();
    clock.advance(10_000);
    await recoverConsequences(test.engine);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { data: 'late' } });
  });
});

describe('a failed run whose workflow handles failures', () => {
  it('is followed by one run that knows the error and the input, whose own failure starts nothing', async () => {
    const seen: InvokeRequest[] = [];
    const { settle, start, run } = await newScene(
      {
        fragile: (request) => {
          if (!request.ctx.onFailure) return thrown({ name: 'Broken', message: 'in two' });
          seen.push(request);
          return thrown({ message: 'the handler, too' });
        },
      },
      { fragile: { onFailure: true } },
    );
    const runId = await start('fragile', { who: 'me' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'failed' });
    const followOn = await test.db.prisma.run.findMany({ where: { onFailureOf: runId } });
    expect(followOn).toMatchObject([
      { status: 'failed', triggerKind: 'event', eventName: 'workflow.failed', eventId: null, tags: { who: 'me' } },
    ]);
    expect(seen.map((request) => request.ctx.error)).toEqual([{ name: 'Broken', message: 'in two' }]);
    expect(seen[0]?.event).toMatchObject({
      name: 'workflow.failed',
      data: { runId, workflow: 'fragile', error: { message: 'in two' }, event: { data: { n: 1 } } },
    });
    expect(await test.db.prisma.run.count({ where: { onFailureOf: followOn[0]?.id ?? '' } })).toBe(0);
  });
});

describe('a score', () => {
  it('is kept once with its step', async () => {
    const { settle, start, run } = await newScene({
      scored: (request) =>
        memoOf(request, 's')
          ? complete(memoOf(request, 's'))
          : steps([{ op: 'Score', name: 's', data: { name: 'quality', value: 0.9, note: 'fine' } }]),
    });
    const runId = await start('scored');
    await settle();
    const scores = await test.db.prisma.score.findMany({ where: { runId } });
    expect(scores).toMatchObject([
      { name: 'quality', value: 0.9, data: { name: 'quality', value: 0.9, note: 'fine' } },
    ]);
    expect((await run(runId)).result).toEqual({ data: { scoreId: scores[0]?.id } });
  });
});
