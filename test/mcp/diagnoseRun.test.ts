import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { decideApproval, expireApprovals } from '../../src/engine/approvals/index.ts';
import { ManualClock } from '../../src/engine/clock.ts';
import { dropExpiredStarts, failOverrunRuns } from '../../src/engine/consequences/index.ts';
import { bulkCancelRuns, cancelRun, pauseRun } from '../../src/engine/control/index.ts';
import {
  cancellers,
  failureKinds,
  type RunVerdict,
  runVerdicts,
  runWaitKinds,
} from '../../src/engine/diagnosis/index.ts';
import { retireDispatcher } from '../../src/engine/dispatchers/index.ts';
import { RawJson } from '../../src/engine/json/index.ts';
import { updateProject } from '../../src/engine/projects/index.ts';
import { failOverdueRuns } from '../../src/engine/routing/index.ts';
import { call } from '../engine/ai/scene.ts';
import { hour, openWaitScene } from '../engine/diagnosis/scene.ts';
import { asking, failed, InferenceScene, refused } from '../engine/inference/scene.ts';
import { answer, complete, memoOf, type Script, steps, thrown } from '../support/scriptedRunner.ts';
import { type McpServer, startMcp } from './mcpServer.ts';

/** The tool `diagnose_run` for each cause that there is. `diagnosis.test.ts` holds the rules. */
const clock = new ManualClock();
let mcp: McpServer;
/** One under the clock of the system, from which ids of the audit log have their time. */
let real: McpServer;
beforeAll(async () => {
  mcp = await startMcp({ clock });
  real = await startMcp();
});
afterAll(async () => {
  await mcp.close();
  await real.close();
});

type Scene = Awaited<ReturnType<typeof openWaitScene>>;

interface Case {
  is: string;
  verdict: RunVerdict;
  script?: Script;
  workflow?: WireWorkflow;
  isReal?: boolean;
  /** Makes the cause hold for a run, and answers its id. Default: starts a run and settles it. */
  arrange?(scene: Scene): Promise<string>;
}

/** A long text, as large as a name or a message may be. */
const long = (text: string): string => `${text} ${'x'.repeat(30_000)}`;
const declined = { name: 'CardError', message: long('declined'), stack: 'at charge\n'.repeat(5_000) };
const logs = Array.from({ length: 20 }, (_, index) => ({
  ...{ level: 'info' as const, message: `line ${index} ${'x'.repeat(2_000)}`, scope: '@root', tsMs: 0, index },
}));
const retry = (maxAttempts: number) => ({ maxAttempts, backoff: 'fixed' as const, initialDelayMs: 60_000 });
const once = { name: 'flow', retry: retry(1) };
const twice = { name: 'flow', retry: retry(2) };
const nap = { op: 'Sleep' as const, name: 'nap', sleepMs: hour };
const sign = { op: 'Approval' as const, name: 'sign', tool: 'refund', data: { note: long('note') }, timeoutMs: hour };
const dispatched = async (scene: Scene): Promise<string> => {
  const runId = await scene.start();
  await scene.dispatcher.runOnce();
  return runId;
};
const held = async (scene: Scene): Promise<string> => {
  await scene.start();
  await scene.dispatcher.claim();
  const second = await scene.start();
  await scene.dispatcher.claim();
  return second;
};
const disconnect = ({ projectId }: Scene) =>
  mcp.engine.db.query('update runner set connected = false where project_id = $1', [projectId]);
const childOf = async (runId: string): Promise<string> =>
  (await mcp.engine.db.prisma.run.findFirstOrThrow({ where: { parentRunId: runId } })).id;
const cancel = ({ projectId }: Scene, runId: string) => cancelRun(mcp.engine, { projectId, runId, actor: 'ops' });

/** Executes a run until it has failed. */
async function spent(scene: Scene): Promise<string> {
  const runId = await scene.start();
  await scene.settle();
  for (let tries = 0; tries < 20 && (await scene.status(runId)) !== 'failed'; tries += 1) {
    await scene.pass(60_000);
    await scene.settle();
  }
  return runId;
}

/** Throws the failure of a step, as a handler does that catches nothing. */
const letThrough =
  (opcode: Parameters<typeof steps>[0][number]): Script =>
  (request) => {
    const memo = memoOf(request, String(opcode['name']));
    if (memo === undefined) return steps([opcode]);
    return 'error' in memo && memo.error ? thrown(memo.error) : complete('done');
  };

/** A parent that calls `flow` with 1, whose runs answer by a script of their own. */
const parentOf =
  (child: Script): Script =>
  (request) =>
    request.event.data === 1
      ? child(request)
      : letThrough({ op: 'RunWorkflow', name: 'call', childName: 'flow', childData: 1 })(request);

const waits: readonly Case[] = [
  { is: 'sleep', verdict: 'waiting', script: () => steps([nap]) },
  {
    is: 'event',
    verdict: 'waiting',
    script: () =>
      steps([{ op: 'WaitForEvent', name: 'pay', eventName: 'paid', eventIf: `data.a == "${'x'.repeat(900)}"` }]),
    async arrange(scene) {
      const runId = await dispatched(scene);
      for (let n = 0; n < 4; n += 1) await scene.send('paid', RawJson.of({ a: n }));
      return runId;
    },
  },
  { is: 'child', verdict: 'waiting', script: parentOf(() => steps([nap])) },
  { is: 'approval', verdict: 'needs_decision', script: () => steps([sign]) },
  { is: 'inference', verdict: 'waiting', script: asking(['ask']), arrange: dispatched },
  {
    is: 'retry',
    verdict: 'retrying',
    script: () => steps([{ op: 'StepRun', name: 'charge', error: declined }]),
    workflow: twice,
    arrange: dispatched,
  },
  {
    is: 'transport',
    verdict: 'retrying',
    script: () => ({ kind: 'transport', reason: long('no answer'), socketLost: false }),
    arrange: dispatched,
  },
  { is: 'concurrency', verdict: 'queued', workflow: { name: 'flow', concurrency: { limit: 1 } }, arrange: held },
  {
    is: 'ceiling',
    verdict: 'queued',
    async arrange(scene) {
      await updateProject(mcp.engine, { id: scene.projectId, concurrencyCeiling: 1 });
      return held(scene);
    },
  },
  {
    is: 'start',
    verdict: 'queued',
    workflow: { name: 'flow', throttle: { limit: 1, perMs: hour } },
    async arrange(scene) {
      await scene.start();
      return scene.start();
    },
  },
  {
    is: 'runner',
    verdict: 'stuck',
    async arrange(scene) {
      const runId = await scene.start();
      await disconnect(scene);
      await scene.dispatcher.lookAfterStranded();
      return runId;
    },
  },
  {
    is: 'dispatcher',
    verdict: 'stuck',
    async arrange(scene) {
      const runId = await scene.start();
      await retireDispatcher(mcp.engine, scene.dispatcher.id);
      return runId;
    },
  },
  {
    is: 'paused',
    verdict: 'paused',
    async arrange(scene) {
      const runId = await scene.start();
      await pauseRun(mcp.engine, { projectId: scene.projectId, runId, actor: 'ann' });
      return runId;
    },
  },
];

const verdict = 'failed';
const failures: readonly Case[] = [
  {
    is: 'step',
    verdict,
    script: () => steps([{ op: 'StepRun', name: 'charge', error: declined, retriable: false }]),
    workflow: twice,
  },
  {
    is: 'step_retries_spent',
    verdict,
    script: letThrough({ op: 'StepRun', name: 'charge', error: declined }),
    workflow: twice,
  },
  { is: 'handler', verdict, script: () => thrown(declined, logs), workflow: once },
  { is: 'handler_retries_spent', verdict, script: () => thrown(declined), workflow: twice },
  { is: 'child_failed', verdict, script: parentOf(() => thrown(declined)), workflow: once },
  {
    is: 'child_cancelled',
    verdict,
    script: parentOf(() => steps([nap])),
    workflow: once,
    async arrange(scene) {
      const runId = await scene.start();
      await scene.settle();
      await cancel(scene, await childOf(runId));
      await scene.settle();
      return runId;
    },
  },
  {
    is: 'approval_denied',
    verdict,
    script: (request) => (memoOf(request, 'sign') ? thrown({ message: 'denied' }) : steps([sign])),
    workflow: once,
    async arrange(scene) {
      const runId = await scene.start();
      await scene.settle();
      const { id } = await mcp.engine.db.prisma.approval.findFirstOrThrow({ where: { runId } });
      await decideApproval(mcp.engine, {
        ...{ projectId: scene.projectId, approvalId: id, status: 'denied', args: undefined, actor: 'me' },
        decider: { decidedBy: 'me', decidedVia: 'api' },
      });
      await scene.settle();
      return runId;
    },
  },
  {
    is: 'approval_timeout',
    verdict,
    script: letThrough({ ...sign, onTimeout: 'fail' }),
    workflow: once,
    async arrange(scene) {
      const runId = await scene.start();
      await scene.settle();
      await scene.pass(hour);
      await expireApprovals(mcp.engine);
      await scene.settle();
      return runId;
    },
  },
  {
    is: 'no_runner',
    verdict,
    async arrange(scene) {
      const runId = await scene.start();
      await disconnect(scene);
      await scene.dispatcher.lookAfterStranded();
      clock.advance(mcp.engine.settings.noRunnerWaitMs);
      await failOverdueRuns(mcp.engine);
      return runId;
    },
  },
  { is: 'transport', verdict, script: () => ({ kind: 'transport', reason: 'refused', socketLost: false }) },
  { is: 'rejected', verdict, script: () => answer(404, {}) },
  {
    is: 'cap',
    verdict,
    script: (request) => steps([call(memoOf(request, 'a') ? 'b' : 'a', { tokensIn: 10 })]),
    workflow: { name: 'flow', cap: { maxTokens: 5 } },
  },
  {
    is: 'inference',
    verdict,
    script: letThrough({ op: 'Infer', name: 'ask', data: { provider: 'anthropic', model: 'opus', prompt: 'x' } }),
    async arrange(scene) {
      const runId = await dispatched(scene);
      const calls = new InferenceScene(mcp.engine, scene.projectId, scene.dispatcher);
      await calls.execute(await calls.claimOne(), refused(), failed());
      await scene.settle();
      return runId;
    },
  },
  {
    is: 'flow_control',
    verdict,
    script: (request) =>
      request.event.data === 1
        ? complete(1)
        : letThrough({ op: 'RunWorkflow', name: 'call', childName: 'other', childData: 1 })(request),
    workflow: once,
    async arrange(scene) {
      await scene.register([once, { name: 'other', rateLimit: { limit: 1, perMs: hour } }]);
      await scene.start();
      await scene.settle();
      return spent(scene);
    },
  },
  {
    is: 'unsupported_opcode',
    verdict,
    // biome-ignore lint/suspicious/noExplicitAny: an opcode of a later version
    script: letThrough({ op: 'Teleport', name: 'go' } as any),
  },
  {
    is: 'non_determinism',
    verdict,
    script: ({ event: _, ...request }) => {
      const n = Object.keys(request.steps).length;
      return answer(206, {
        opcodes: [{ op: 'StepRun', id: `${n}`.padStart(64, '0'), name: `s${n}`, data: 1 }],
        reached: 0,
      });
    },
  },
  {
    is: 'max_duration',
    verdict,
    script: () => steps([{ ...nap, sleepMs: 2 * hour }]),
    workflow: { name: 'flow', maxDuration: hour },
    async arrange(scene) {
      const runId = await scene.start();
      await scene.settle();
      await scene.pass(hour);
      await failOverrunRuns(mcp.engine);
      return runId;
    },
  },
  { is: 'service_limit', verdict, script: () => ({ kind: 'tooLarge', elapsedMs: 1 }) },
];

/** Cancels in a way, and answers the run that it ended. */
const cancellation = (is: string, arrange: Case['arrange'], more: Partial<Case> = {}): Case => ({
  ...{ is, verdict: 'cancelled', script: () => steps([nap]) },
  ...more,
  ...(arrange && { arrange }),
});

const cancellations: readonly Case[] = [
  cancellation('caller', async (scene) => {
    const runId = await scene.start();
    await cancel(scene, runId);
    return runId;
  }),
  cancellation(
    'bulk',
    async ({ projectId, start }) => {
      const runId = await start();
      await bulkCancelRuns(real.engine, { projectId, actor: 'ops', filter: { workflow: 'flow' } });
      return runId;
    },
    { isReal: true },
  ),
  cancellation(
    'event',
    async (scene) => {
      const runId = await scene.start();
      await scene.settle();
      await scene.pass(2_000);
      await scene.send('stop', RawJson.of(1));
      return runId;
    },
    { workflow: { name: 'flow', cancelOn: [{ event: 'stop' }] } },
  ),
  cancellation(
    'parent',
    async (scene) => {
      const parent = await scene.start();
      await scene.settle();
      const id = await childOf(parent);
      await cancel(scene, parent);
      await scene.settle();
      return id;
    },
    { script: parentOf(() => steps([nap])) },
  ),
  cancellation(
    'singleton',
    async (scene) => {
      const runId = await scene.start();
      await scene.settle();
      await scene.start();
      return runId;
    },
    { workflow: { name: 'flow', singleton: {} } },
  ),
  cancellation('ttl', async (scene) => {
    const flow = { projectId: scene.projectId, app: 'default', name: 'flow' };
    const { runId = '' } = await triggerWorkflow(mcp.engine, { ...flow, input: { ttlMs: 1_000 } });
    clock.advance(1_001);
    await dropExpiredStarts(mcp.engine);
    return runId;
  }),
  cancellation('unknown', async (scene) => {
    const runId = await scene.start();
    await cancel(scene, runId);
    await mcp.engine.db.query('delete from control_action where run_id = $1', [runId]);
    return runId;
  }),
];

/** The answer of the tool, which is short whatever it is about. */
async function diagnose({ script, workflow, isReal = false, arrange = spent }: Case) {
  const at = isReal ? real : mcp;
  const { engine, keys } = at;
  const scene = await openWaitScene({ engine, db: engine.db, url: '' }, clock, script, workflow);
  const id = await arrange(scene);
  const caller = { key: keys.operator, headers: { 'x-service-project': scene.projectId } };
  const result = await at.tool('diagnose_run', { id }, caller);
  expect(result).not.toHaveProperty('isError');
  const bytes = result.content.reduce((sum: number, { text }: { text: string }) => sum + Buffer.byteLength(text), 0);
  expect(bytes).toBeLessThanOrEqual(8_192);
  return result.structuredContent;
}

const kindsOf = (cases: readonly Case[]): string[] => cases.map(({ is }) => is).sort();

describe('diagnose_run answers within 8 KiB', () => {
  it.each(waits)('that a run waits: $is', async (each) => {
    const { verdict: found, causes, summary } = await diagnose(each);
    expect([found, causes[0].kind]).toEqual([each.verdict, each.is]);
    expect(summary).not.toBe('');
  });

  it.each(failures)('that a run failed: $is', async (each) => {
    const { verdict: found, failure, next } = await diagnose(each);
    expect([found, failure.kind]).toEqual([each.verdict, each.is]);
    expect(failure.error.message).toMatch(/./);
    if (each.is === 'handler') expect(failure.logs).toHaveLength(logs.length);
    expect(next.length).toBeGreaterThan(0);
  });

  it.each(cancellations)('that a run was cancelled: $is', async (each) => {
    const { verdict: found, cancellation: by } = await diagnose(each);
    expect([found, by.by]).toEqual([each.verdict, each.is]);
  });

  it('all causes that there are', () => {
    expect(kindsOf(waits)).toEqual([...runWaitKinds].sort());
    expect(kindsOf(failures)).toEqual([...failureKinds].sort());
    expect(kindsOf(cancellations)).toEqual([...cancellers].sort());
    expect(runVerdicts).toEqual(
      expect.arrayContaining([...waits, ...failures, ...cancellations].map((e) => e.verdict)),
    );
  });
});
