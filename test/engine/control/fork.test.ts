import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun, replayRun, retryRunFromStep } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { tailProject } from '../../../src/engine/timeline/index.ts';
import { useEngine } from '../../support/engine.ts';
import { answer, complete, memoOf, type Script, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { openScene, useScenes } from './scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const open = useScenes(test);

/** A scene in which runs can be started over. */
async function newScene(handlers: Record<string, Script>) {
  const basis = await open(handlers);
  const { engine } = test;
  return {
    ...basis,
    replay: (runId: string, input?: RawJson) => replayRun(engine, { ...basis.call(runId), ...(input && { input }) }),
    retry: (runId: string, step: string) => retryRunFromStep(engine, { ...basis.call(runId), step }),
  };
}

/** Steps in sequence. The result contains the outcome of each. */
const inTurn =
  (...names: string[]): Script =>
  (request) => {
    const next = names.find((name) => !memoOf(request, name));
    if (next) return steps([{ op: 'StepRun', name: next, data: `${next} of ${request.ctx.runId}` }]);
    return complete(names.map((name) => memoOf(request, name)));
  };

describe('a replay', () => {
  it('is a new run with the same workflow, input, event, tags, session and runner, and names its source', async () => {
    const { projectId, replay, settle, run, statuses } = await newScene({ ship: inTurn('a') });
    const data = RawJson.trusted('{"big":1e400,"id":12345678901234567890}');
    const event = { name: 'ship', data, tags: { customer: 'c1' }, session: 's1', runner: 'runner-1' };
    const { runId: id } = await sendEvent(test.engine, { projectId, input: event });
    const runId = id ?? '';
    await settle();
    const answer = await replay(runId);
    expect(answer).toMatchObject({ status: 'queued', replayOf: runId, workflow: 'ship', app: 'default' });
    const [source, fork] = [await run(runId), await run(answer.id)];
    for (const field of ['eventName', 'eventId', 'session', 'runner', 'tags', 'triggerKind', 'version'] as const)
      expect(fork[field], field).toEqual(source[field]);
    expect(fork).toMatchObject({ session: 's1', runner: 'runner-1', tags: { customer: 'c1' }, attempt: 1, depth: 0 });
    const { rows } = await test.db.query({ text: 'select input from run where id = $1', values: [answer.id] });
    expect(rows).toEqual([{ input: data.text }]);
    await settle();
    expect(await run(answer.id)).toMatchObject({ status: 'succeeded' });
    expect(await run(runId)).toEqual(source);
    expect(await statuses(answer.id)).toEqual(['queued', 'running', 'succeeded']);
  });

  it('is in the stream of the project from its start, even if it is claimed at once', async () => {
    const { projectId, start, replay, settle } = await newScene({ flow: inTurn('a') });
    const runId = await start('flow');
    await settle();
    const changes = tailProject(test.engine, { projectId });
    const { id } = await replay(runId);
    await settle();
    for (const status of ['queued', 'running', 'succeeded'])
      expect((await changes.next()).value).toMatchObject({ runId: id, status });
    await changes.return?.();
  });

  it('starts from the first step, although the source has results', async () => {
    const { start, replay, settle, steps: rows, dispatcher } = await newScene({ flow: inTurn('a', 'b') });
    const runId = await start('flow');
    await settle();
    const { id } = await replay(runId);
    await settle();
    expect((await rows(id)).map((step) => step.output)).toEqual([`a of ${id}`, `b of ${id}`]);
    expect(dispatcher.requests.find((request) => request.ctx.runId === id)?.ctx.replayOf).toBe(runId);
  });

  it('may be given another input, null included', async () => {
    const { start, replay, settle, run } = await newScene({ flow: (request) => complete(request.event.data) });
    const runId = await start('flow', { input: { n: 1 } });
    await settle();
    for (const [text, result] of [
      ['{"n":2}', { n: 2 }],
      ['null', null],
      ['[1]', [1]],
    ] as const) {
      const { id } = await replay(runId, RawJson.trusted(text));
      await settle();
      expect((await run(id)).result).toEqual(result);
    }
    expect((await run(runId)).input).toEqual({ n: 1 });
  });

  it('of a child is a top-level run, for which no parent waits', async () => {
    const { start, replay, settle, run } = await newScene({
      parent: (request) => {
        const memo = memoOf(request, 'call');
        return memo ? complete(memo) : steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]);
      },
      child: () => complete('grown'),
    });
    const runId = await start('parent');
    await settle();
    const child = await test.db.prisma.run.findFirstOrThrow({ where: { parentRunId: runId } });
    const { id } = await replay(child.id);
    await settle();
    expect(await run(id)).toMatchObject({ status: 'succeeded', parentRunId: null, parentStep: null, depth: 0 });
  });

  it('of a follow-on run handles the same failure', async () => {
    const handle: Script = ({ ctx }) => (ctx.onFailure ? complete(ctx.error) : thrown({ message: 'sad' }));
    const { projectId, start, replay, settle, run, dispatcher } = await newScene({ flow: handle });
    await registerWorkflows(test.engine, projectId, [{ name: 'flow', onFailure: true }]);
    const runId = await start('flow');
    await settle();
    const followOn = await test.db.prisma.run.findFirstOrThrow({ where: { onFailureOf: runId } });
    const { id } = await replay(followOn.id);
    await settle();
    expect(await run(id)).toMatchObject({ status: 'succeeded', result: { message: 'sad' }, onFailureOf: runId });
    expect(dispatcher.requests.filter((request) => request.ctx.runId === id)).toHaveLength(1);
  });

  it('runs on the definition in force', async () => {
    const { projectId, start, replay, settle, run } = await newScene({ flow: () => complete(1) });
    const runId = await start('flow');
    await settle();
    await registerWorkflows(test.engine, projectId, [{ name: 'flow', retry: { maxAttempts: 7 } }]);
    const { id } = await replay(runId);
    const { version } = await test.db.prisma.workflow.findFirstOrThrow({ where: { projectId } });
    expect(await run(id)).toMatchObject({ version });
    expect((await run(runId)).version).not.toBe(version);
  });

  it('is refused while the run is unfinished, paused included', async () => {
    const { start, replay, retry, pause, audit } = await newScene({ flow: inTurn('a') });
    const runId = await start('flow');
    const refusal = { kind: 'conflict', message: 'run is not in a terminal state' };
    await expect(replay(runId)).rejects.toMatchObject(refusal);
    await expect(retry(runId, 'a')).rejects.toMatchObject(refusal);
    await pause(runId);
    await expect(replay(runId)).rejects.toMatchObject(refusal);
    expect((await audit()).map((entry) => entry.action)).toEqual(['pause']);
  });

  it('is refused by a suspended project', async () => {
    const { projectId, start, replay, retry, settle, audit } = await newScene({ flow: inTurn('a') });
    const runId = await start('flow');
    await settle();
    await updateProject(test.engine, { id: projectId, suspended: true });
    for (const attempt of [() => replay(runId), () => retry(runId, 'a')])
      await expect(attempt()).rejects.toMatchObject({ kind: 'suspended' });
    expect(await audit()).toEqual([]);
    expect(await test.db.prisma.run.count({ where: { projectId } })).toBe(1);
  });

  it('of a run of another project, an unknown run, or a removed workflow is not found', async () => {
    const { projectId, start, replay, settle } = await newScene({ flow: inTurn('a') });
    const runId = await start('flow');
    await settle();
    const stranger = await openScene(test, { flow: inTurn('a') });
    const missing = { kind: 'notFound', message: 'run not found' };
    await expect(replayRun(test.engine, stranger.call(runId))).rejects.toMatchObject(missing);
    await expect(replay(newId())).rejects.toMatchObject(missing);
    await expect(replay('no id')).rejects.toMatchObject(missing);
    await test.db.query({ text: 'delete from workflow where project_id = $1', values: [projectId] });
    await test.db.query('update project set registry_version = registry_version + 1');
    test.engine.registry.invalidate(projectId);
    await expect(replay(runId)).rejects.toMatchObject({ kind: 'notFound', message: expect.stringContaining('flow') });
  });
});

describe('a retry from a step', () => {
  it('has the results of the steps before, all their attempts, and executes the rest', async () => {
    let failures = 1;
    const script: Script = (request) => {
      if (!memoOf(request, 'flaky') && failures-- > 0)
        return steps([{ op: 'StepRun', name: 'flaky', error: { message: 'once' }, retryAfterMs: 1000 }]);
      return inTurn('flaky', 'b', 'c')(request);
    };
    const { projectId, start, retry, settle, run, steps: rows } = await newScene({ flow: script });
    await registerWorkflows(test.engine, projectId, [{ name: 'flow', retry: { maxAttempts: 3 } }]);
    const runId = await start('flow');
    await settle();
    clock.advance(1100);
    await settle();
    const source = await rows(runId);
    const answer = await retry(runId, 'c');
    expect(answer).toMatchObject({ status: 'queued', replayOf: runId });
    const carried = await rows(answer.id);
    expect(carried).toEqual(source.slice(0, 3).map((row) => ({ ...row, runId: answer.id })));
    expect(carried.map((row) => [row.name, row.attempt, row.status])).toEqual([
      ['flaky', 1, 'failed'],
      ['flaky', 2, 'succeeded'],
      ['b', 1, 'succeeded'],
    ]);
    await settle();
    expect(await run(answer.id)).toMatchObject({
      result: [{ data: `flaky of ${runId}` }, { data: `b of ${runId}` }, { data: `c of ${answer.id}` }],
    });
    expect((await rows(answer.id)).map((row) => row.index)).toEqual([0, 0, 1, 2]);
  });

  it('has the copied steps in its journal', async () => {
    const { start, retry, settle } = await newScene({ flow: inTurn('a', 'b') });
    const runId = await start('flow');
    await settle();
    const { id } = await retry(runId, 'b');
    const frames = await test.db.prisma.runFrame.findMany({ where: { runId: id }, orderBy: { seq: 'asc' } });
    expect(frames.map(({ kind, payload }) => [kind, payload])).toEqual([
      ['run_status', { status: 'queued' }],
      ['step_status', { step: 'a', index: 0, attempt: 1, status: 'succeeded', durationMs: expect.any(Number) }],
    ]);
  });

  it('from the first step copies no step', async () => {
    const { start, retry, settle, steps: rows } = await newScene({ flow: inTurn('a', 'b') });
    const runId = await start('flow');
    await settle();
    const { id } = await retry(runId, 'a');
    expect(await rows(id)).toEqual([]);
    await settle();
    expect((await rows(id)).map((step) => step.output)).toEqual([`a of ${id}`, `b of ${id}`]);
  });

  it('sends the memo in the order in which the steps were settled', async () => {
    const script: Script = (request) => {
      if (!memoOf(request, 'late')) {
        return steps([
          { op: 'Sleep', name: 'late', sleepMs: 5000 },
          { op: 'Sleep', name: 'soon', sleepMs: 1000 },
        ]);
      }
      if ('pending' in (memoOf(request, 'late') ?? {})) return steps([]);
      return inTurn('last')(request);
    };
    const { start, retry, settle, dispatcher } = await newScene({ flow: script });
    const runId = await start('flow');
    await settle();
    for (const ms of [1100, 5000]) {
      clock.advance(ms);
      await settle();
    }
    const { id } = await retry(runId, 'last');
    await settle();
    const orderOf = (about: string): string[] => {
      const settled = dispatcher.requests.filter(({ ctx }) => ctx.runId === about).at(-1) as InvokeRequest;
      return Object.keys(settled.steps).slice(0, 2);
    };
    expect(orderOf(id)).toEqual(orderOf(runId));
  });

  it('keeps the error of a step that was caught, and the result of a child', async () => {
    const script: Script = (request) => {
      if (!memoOf(request, 'bad')) return steps([{ op: 'StepRun', name: 'bad', error: { message: 'caught' } }]);
      if (!memoOf(request, 'call')) return steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]);
      if ('pending' in (memoOf(request, 'call') ?? {})) return steps([]);
      return inTurn('bad', 'call', 'end')(request);
    };
    const { start, retry, settle, run, steps: rows } = await newScene({ flow: script, child: () => complete('kid') });
    const runId = await start('flow');
    await settle();
    const { id } = await retry(runId, 'end');
    await settle();
    expect((await run(id)).result).toEqual([
      { error: { message: 'caught' } },
      { data: 'kid' },
      { data: `end of ${id}` },
    ]);
    const call = (of: Awaited<ReturnType<typeof rows>>) => of.find((step) => step.name === 'call')?.childRunId;
    expect(call(await rows(id))).toBe(call(await rows(runId)));
    expect(await test.db.prisma.run.count({ where: { workflow: 'child', parentRunId: id } })).toBe(0);
  });

  it('executes the steps again that the end of the source cut off', async () => {
    const script: Script = (request) => {
      if (!memoOf(request, 'nap')) {
        return steps([
          { op: 'Sleep', name: 'nap', sleepMs: 60_000 },
          { op: 'StepRun', name: 'a', data: 1 },
        ]);
      }
      return 'pending' in (memoOf(request, 'nap') ?? {}) ? steps([]) : complete('slept');
    };
    const { start, retry, settle, run, call, steps: rows } = await newScene({ flow: script });
    const runId = await start('flow');
    await settle();
    await cancelRun(test.engine, call(runId));
    const { id } = await retry(runId, 'a');
    expect(await rows(id)).toEqual([]);
    await settle();
    clock.advance(61_000);
    await settle();
    expect(await run(id)).toMatchObject({ status: 'succeeded', result: 'slept' });
  });

  it.each(['was cancelled', 'was cancelled by the former version', 'failed'] as const)(
    'executes anew what failed and was not retried any more because the source %s',
    async (end) => {
      let isBroken = true;
      const script: Script = (request) => {
        const [a, b] = [memoOf(request, 'a'), memoOf(request, 'b')];
        const outcome = isBroken ? { error: { message: 'not yet' }, retryAfterMs: 60_000 } : { data: 'late' };
        const first = a ? [] : [{ op: 'StepRun', name: 'a', ...outcome } as const];
        if (!b) return steps([...first, { op: 'StepRun', name: 'b', data: 1 }]);
        if (isBroken && end === 'failed') return answer(500, { error: { message: 'no' }, retriable: false });
        return !a || 'pending' in a ? steps([]) : complete(a);
      };
      const { projectId, start, retry, settle, run, call, steps: rows } = await newScene({ flow: script });
      await registerWorkflows(test.engine, projectId, [{ name: 'flow', retry: { maxAttempts: 2 } }]);
      const runId = await start('flow');
      await settle();
      if (end !== 'failed') await cancelRun(test.engine, call(runId));
      expect((await rows(runId))[0]).toMatchObject({ status: 'failed', willRetry: false, retryWithdrawn: true });
      // That version leaves it at `run_after`.
      if (end === 'was cancelled by the former version')
        await test.db.prisma.runStep.updateMany({ where: { runId }, data: { retryWithdrawn: false } });
      isBroken = false;
      const { id } = await retry(runId, 'b');
      expect(await rows(id)).toEqual([]);
      await settle();
      expect(await run(id)).toMatchObject({ status: 'succeeded', result: { data: 'late' } });
    },
  );

  it('executes a step again that failed with attempts left in the answer that ended the source', async () => {
    let isBroken = true;
    const script: Script = (request) => {
      const [flaky, fatal] = [memoOf(request, 'flaky'), memoOf(request, 'fatal')];
      if (flaky && fatal) return complete([flaky, fatal]);
      const error = { message: 'not yet' };
      return steps([
        { op: 'StepRun', name: 'flaky', ...(isBroken ? { error } : { data: 1 }) },
        { op: 'StepRun', name: 'fatal', ...(isBroken ? { error, retriable: false } : { data: 2 }) },
      ]);
    };
    const { projectId, start, retry, settle, run, steps: rows } = await newScene({ flow: script });
    await registerWorkflows(test.engine, projectId, [{ name: 'flow', retry: { maxAttempts: 2 } }]);
    const runId = await start('flow');
    await settle();
    expect((await run(runId)).status).toBe('failed');
    expect(await rows(runId)).toMatchObject([{ retryWithdrawn: true }, { retryWithdrawn: false }]);
    isBroken = false;
    const { id } = await retry(runId, 'fatal');
    expect(await rows(id)).toEqual([]);
    await settle();
    expect(await run(id)).toMatchObject({ status: 'succeeded', result: [{ data: 1 }, { data: 2 }] });
  });

  it('needs a step that the run has', async () => {
    const { start, retry, settle, audit } = await newScene({ flow: inTurn('a') });
    const runId = await start('flow');
    await settle();
    for (const step of ['', '  ']) await expect(retry(runId, step)).rejects.toMatchObject({ kind: 'invalid' });
    for (const step of ['nothing', 'a:1', '\0'])
      await expect(retry(runId, step)).rejects.toMatchObject({ kind: 'notFound', message: 'step not found' });
    expect(await audit()).toEqual([]);
  });

  it('of a retry copies the steps which that one copied', async () => {
    const { start, retry, settle, run } = await newScene({ flow: inTurn('a', 'b', 'c') });
    const runId = await start('flow');
    await settle();
    const second = await retry(runId, 'b');
    await settle();
    const third = await retry(second.id, 'c');
    await settle();
    expect(await run(third.id)).toMatchObject({
      replayOf: second.id,
      result: [{ data: `a of ${runId}` }, { data: `b of ${second.id}` }, { data: `c of ${third.id}` }],
    });
  });
});

it('both are in the audit log, with the new run and the step', async () => {
  const { start, replay, retry, settle, audit } = await newScene({ flow: inTurn('a') });
  const runId = await start('flow');
  await settle();
  const [one, two] = [await replay(runId), await retry(runId, 'a')];
  expect(await audit()).toMatchObject([
    { action: 'replay', runId, newRunId: one.id, actor: 'ops key', detail: null },
    { action: 'retry_from_step', runId, newRunId: two.id, actor: 'ops key', detail: { step: 'a' } },
  ]);
});
