import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { useEngine } from '../../support/engine.ts';
import { openFlowScene } from './flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

describe('rateLimit', () => {
  const limited = { name: 'r', rateLimit: { limit: 3, perMs: 3_000, key: 'k' } };

  it('lets a burst of its limit pass, and reports the rest as dropped', async () => {
    const project = await openFlowScene(test, [limited]);
    const outcomes = await project.outcomes(
      'r',
      Array.from({ length: 5 }, () => ({ k: 'a' })),
    );
    expect(outcomes).toEqual(['run', 'run', 'run', 'dropped', 'dropped']);
    expect(await project.outcomes('r', [{ k: 'b' }])).toEqual(['run']);
  });

  it('lets one more start pass after each perMs / limit', async () => {
    const project = await openFlowScene(test, [limited]);
    await project.outcomes(
      'r',
      Array.from({ length: 3 }, () => ({ k: 'a' })),
    );
    clock.advance(999);
    expect(await project.outcomes('r', [{ k: 'a' }])).toEqual(['dropped']);
    clock.advance(1);
    expect(await project.outcomes('r', [{ k: 'a' }, { k: 'a' }])).toEqual(['run', 'dropped']);
    clock.advance(3_000);
    expect(
      await project.outcomes(
        'r',
        Array.from({ length: 4 }, () => ({ k: 'a' })),
      ),
    ).toEqual(['run', 'run', 'run', 'dropped']);
  });

  it('stays exact for limits that do not divide evenly', async () => {
    for (const limit of [3, 7, 11, 13, 1_000]) {
      const project = await openFlowScene(test, [{ name: 'r', rateLimit: { limit, perMs: 1_000 } }]);
      const answers = await Promise.all(Array.from({ length: limit + 5 }, () => project.send('r')));
      expect(answers.filter((each) => each.runId !== undefined)).toHaveLength(limit);
    }
  });

  it('lets a start pass exactly at its turn, even at a fraction of a microsecond', async () => {
    for (const perMs of [1_000, 2_000]) {
      const project = await openFlowScene(test, [{ name: 'r', rateLimit: { limit: 3, perMs } }]);
      expect(await project.outcomes('r', [{}, {}, {}, {}])).toEqual(['run', 'run', 'run', 'dropped']);
      const third = Math.ceil(perMs / 3);
      for (const afterMs of [third, third, perMs - 2 * third]) {
        clock.advance(afterMs);
        expect(await project.outcomes('r', [{}, {}])).toEqual(['run', 'dropped']);
      }
    }
  });

  it('counts simultaneous starts together, and reports each', async () => {
    const project = await openFlowScene(test, [limited]);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => project.send('r', { k: n % 2 })));
    expect(answers.filter((each) => each.runId !== undefined)).toHaveLength(6);
    expect(answers.filter((each) => each.triggered[0]?.dropped)).toHaveLength(44);
    expect(await project.runs()).toHaveLength(6);
  });

  it('follows GCRA for random arrivals', async () => {
    const arrivals = fc.array(
      fc.record({ afterMs: fc.integer({ min: 0, max: 900 }), count: fc.integer({ min: 1, max: 4 }) }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    const policy = fc.record({ limit: fc.integer({ min: 1, max: 5 }), perMs: fc.integer({ min: 1, max: 3_000 }) });
    await fc.assert(
      fc.asyncProperty(policy, arrivals, async (rateLimit, bursts) => {
        const project = await openFlowScene(test, [{ name: 'r', rateLimit }]);
        // In units of 1 / limit ms, so that the model is exact.
        const unit = rateLimit.perMs;
        let arrival = Number.NEGATIVE_INFINITY;
        let now = 0;
        for (const { afterMs, count } of bursts) {
          clock.advance(afterMs);
          now += afterMs * rateLimit.limit;
          const expected = Array.from({ length: count }, () => {
            const base = Math.max(arrival, now);
            if (base - now > unit * (rateLimit.limit - 1)) return 'dropped';
            arrival = base + unit;
            return 'run';
          });
          expect(
            await project.outcomes(
              'r',
              expected.map(() => ({})),
            ),
          ).toEqual(expected);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('throttle', () => {
  const slow = { name: 't', throttle: { limit: 2, perMs: 2_000, key: 'k' } };

  it('starts one run every perMs / limit, and queues all others with a start time', async () => {
    const project = await openFlowScene(test, [slow]);
    const now = clock.now().getTime();
    await project.outcomes(
      't',
      Array.from({ length: 4 }, () => ({ k: 1 })),
    );
    const runs = await project.runs();
    expect(runs.map((run) => run.status)).toEqual(['queued', 'queued', 'queued', 'queued']);
    expect(runs.map((run) => run.startAt && run.startAt.getTime() - now)).toEqual([null, 1_000, 2_000, 3_000]);
    await project.settle();
    expect(await project.runs({ status: 'succeeded' })).toHaveLength(1);
    clock.advance(1_000);
    await project.settle();
    expect(await project.runs({ status: 'succeeded' })).toHaveLength(2);
    clock.advance(2_000);
    await project.settle();
    expect(await project.runs({ status: 'succeeded' })).toHaveLength(4);
    await project.expectHealthy();
  });

  it('counts each key separately, and starts a run at its turn', async () => {
    const project = await openFlowScene(test, [slow]);
    await project.outcomes('t', [{ k: 1 }, { k: 2 }]);
    clock.advance(1_000);
    await project.outcomes('t', [{ k: 1 }]);
    expect((await project.runs()).map((run) => run.startAt)).toEqual([null, null, null]);
  });

  it('spaces simultaneous starts, in order of arrival', async () => {
    const project = await openFlowScene(test, [{ name: 't', throttle: { limit: 3, perMs: 1_000 } }]);
    const now = clock.now().getTime();
    const answers = await Promise.all(Array.from({ length: 10 }, () => project.send('t')));
    const starts = (await project.runs()).map((run) => (run.startAt?.getTime() ?? now) - now);
    expect(starts.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, n) => Math.ceil((n * 1_000) / 3)));
    expect(answers.every((each) => each.runId !== undefined)).toBe(true);
  });

  it('applies to replays', async () => {
    const project = await openFlowScene(test, [slow]);
    const { runId } = await project.send('t', { k: 1 });
    await project.settle();
    await project.send('t', { k: 1 });
    const now = clock.now().getTime();
    const replay = await project.replay(runId ?? '');
    expect((await project.run(replay.id)).startAt?.getTime()).toBe(now + 2_000);
  });

  it('keeps a start time through a pause: a run resumed early still waits, with status queued', async () => {
    const project = await openFlowScene(test, [slow]);
    await project.outcomes('t', [{ k: 1 }, { k: 1 }]);
    const [, second] = await project.runs();
    const { pauseRun, resumeRun } = await import('../../../src/engine/control/index.ts');
    const call = { projectId: project.projectId, runId: second?.id ?? '', actor: 'ops' };
    await pauseRun(test.engine, call);
    expect(await project.run(second?.id)).toMatchObject({ status: 'paused' });
    await resumeRun(test.engine, call);
    await project.settle();
    expect(await project.run(second?.id)).toMatchObject({ status: 'queued' });
    clock.advance(1_000);
    await project.settle();
    expect(await project.run(second?.id)).toMatchObject({ status: 'succeeded' });
    await project.expectHealthy();
  });
});

describe('priority', () => {
  it('gives a run the queue position of a run that was enqueued shiftMs earlier', async () => {
    const project = await openFlowScene(test, [
      { name: 'plain', triggers: [{ event: 'plain' }] },
      { name: 'urgent', priority: { shiftMs: 60_000 } },
    ]);
    await project.send('plain');
    clock.advance(30_000);
    await project.send('urgent');
    const work = await test.db.prisma.runWork.findMany({
      where: { projectId: project.projectId },
      orderBy: { position: 'asc' },
    });
    const order = await Promise.all(work.map(async ({ runId }) => (await project.run(runId)).workflow));
    expect(order).toEqual(['urgent', 'plain']);
  });
});
