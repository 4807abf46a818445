import { describe, expect, it } from 'vitest';
import { expireApprovals } from '../../../src/engine/approvals/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { statementTexts } from '../../../src/engine/db/statement.ts';
import { failOverdueRuns, lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { isTerminal, runStatuses } from '../../../src/engine/runs/status.ts';
import {
  type RunTransition,
  runTransitions,
  successors,
  type Transition,
} from '../../../src/engine/runs/transitions.ts';
import { releaseRuns } from '../../../src/engine/work/index.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, memoOf, type Script, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { dataOf, type Scene, useScenes } from '../control/scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const open = useScenes(test);

const nap: Script = (request) =>
  dataOf(request, 'nap') === null ? complete('woke') : steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]);
const sign: Script = (request) =>
  'data' in (memoOf(request, 'sign') ?? {})
    ? complete('signed')
    : steps([{ op: 'Approval', name: 'sign', tool: 'refund', timeoutMs: 60_000, onTimeout: 'reject' }]);
const handlers = {
  single: () => complete('done'),
  plain: () => complete('done'),
  broken: () => thrown({ message: 'no' }),
  nap,
  sign,
};
type Name = keyof typeof handlers;

const engine = () => test.engine;
const setRunner = (connected: boolean) =>
  test.db.prisma.runner.updateMany({ data: { connected, lastSeenAt: clock.now() } });

async function settled(at: Scene, name: Name): Promise<string> {
  const runId = await at.start(name);
  await at.settle();
  return runId;
}

/** A run whose pass was begun and given up: it is `running`, and nobody executes it. */
async function handedBack(at: Scene): Promise<string> {
  const runId = await at.start('plain');
  await at.claimOne(runId);
  await releaseRuns(engine(), at.dispatcher.id, [runId]);
  return runId;
}

async function strandedRun(at: Scene): Promise<string> {
  const runId = await at.start('plain');
  await setRunner(false);
  await lookAfterStranded(engine());
  return runId;
}

async function pausedAs(at: Scene, name: Name): Promise<string> {
  const runId = await settled(at, name);
  await at.pause(runId);
  return runId;
}

const cancelled = async (at: Scene, runId: string): Promise<string> => {
  await cancelRun(engine(), at.call(runId));
  return runId;
};

type Show = (at: Scene) => Promise<string>;
type From<Row> = Row extends { from: readonly (infer Status extends string)[] } ? Status : never;
type Scenes = {
  [Row in RunTransition as Row['name']]: Record<Row['from'] extends readonly [] ? 'nothing' : From<Row>, Show>;
};

/** How each change comes about. Each answers the run whose journal ends with it. */
const scenes: Scenes = {
  started: { nothing: (at) => at.start('plain') },
  claimed: {
    queued: async (at) => {
      const runId = await at.start('plain');
      await at.claimOne(runId);
      return runId;
    },
  },
  gated: {
    running: async (at) => {
      const runId = await at.start('single');
      await at.claimOne(runId);
      await releaseRuns(engine(), at.dispatcher.id, [runId]);
      await registerWorkflows(engine(), at.projectId, [{ name: 'single', concurrency: { limit: 1 } }]);
      const later = await at.start('single', { input: 'later' });
      await test.db.query('update run_work set position = 0 where run_id = $1', [later]);
      await at.claimOne(later);
      return runId;
    },
  },
  stranded: {
    queued: strandedRun,
    running: async (at) => {
      const runId = await handedBack(at);
      await setRunner(false);
      await lookAfterStranded(engine());
      return runId;
    },
  },
  parked: { running: (at) => settled(at, 'nap') },
  parkedForApproval: { running: (at) => settled(at, 'sign') },
  succeeded: { running: (at) => settled(at, 'plain') },
  failed: { running: (at) => settled(at, 'broken') },
  pausedAfterPass: {
    running: async (at) => {
      const runId = await at.start('nap');
      const pass = await at.claimOne(runId);
      await at.pause(runId);
      await at.dispatcher.drive(pass);
      return runId;
    },
  },
  paused: {
    queued: async (at) => {
      const runId = await at.start('plain');
      await at.pause(runId);
      return runId;
    },
    waiting: (at) => pausedAs(at, 'nap'),
    needs_attention: (at) => pausedAs(at, 'sign'),
  },
  woken: {
    waiting: async (at) => {
      const runId = await settled(at, 'nap');
      clock.advance(60_000);
      await at.wake();
      return runId;
    },
    needs_attention: async (at) => {
      const runId = await settled(at, 'sign');
      clock.advance(60_000);
      await expireApprovals(engine());
      return runId;
    },
  },
  revived: {
    waiting: async (at) => {
      const runId = await strandedRun(at);
      await setRunner(true);
      await lookAfterStranded(engine());
      return runId;
    },
  },
  timedOut: {
    waiting: async (at) => {
      const runId = await strandedRun(at);
      clock.advance(engine().settings.noRunnerWaitMs);
      await failOverdueRuns(engine());
      return runId;
    },
  },
  resumed: {
    paused: async (at) => {
      const runId = await at.start('plain');
      await at.pause(runId);
      await at.resume(runId);
      return runId;
    },
  },
  resumedParked: {
    paused: async (at) => {
      const runId = await pausedAs(at, 'nap');
      await at.resume(runId);
      return runId;
    },
  },
  resumedForApproval: {
    paused: async (at) => {
      const runId = await pausedAs(at, 'sign');
      await at.resume(runId);
      return runId;
    },
  },
  cancelled: {
    queued: async (at) => cancelled(at, await at.start('plain')),
    running: async (at) => cancelled(at, await handedBack(at)),
    waiting: async (at) => cancelled(at, await settled(at, 'nap')),
    paused: async (at) => cancelled(at, await pausedAs(at, 'nap')),
    needs_attention: async (at) => cancelled(at, await settled(at, 'sign')),
  },
};

const all: readonly Transition[] = runTransitions;

describe('the table of transitions', () => {
  const shown = Object.entries(scenes).flatMap(([name, ways]) =>
    Object.entries(ways).map(([from, show]) => ({ name, from, show })),
  );
  it.each(shown)('$name: a run that was $from', async ({ name, from, show }) => {
    const scene = await open(handlers);
    const runId = await show(scene);
    const to = all.find((row) => row.name === name)?.to;
    const statuses = await scene.statuses(runId);
    expect(statuses.slice(-2)).toEqual(from === 'nothing' ? [to] : [from, to]);
    expect(await scene.run(runId)).toMatchObject({ status: to });
    await setRunner(true);
  });

  it('names every statement that writes the status of a run, and no other', () => {
    const writers = [...statementTexts()].filter(([, text]) =>
      /insert into run \(|update run(?: r)?\s+set[^;]*?\bstatus =/.test(text),
    );
    const named = new Set(all.flatMap((row) => row.by));
    expect([...named].sort()).toEqual(writers.map(([name]) => name).sort());
  });

  it('has a way into each status, a way out of each that is open, and none out of the others', () => {
    for (const status of runStatuses) {
      expect(all.some((row) => row.to === status)).toBe(true);
      expect(successors[status].length === 0).toBe(isTerminal(status));
    }
  });
});
