import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { DoctorScene } from './scene.ts';

const test = useEngine();
let scene: DoctorScene;

beforeAll(async () => {
  scene = new DoctorScene(test.engine, await createTestProject(test.engine));
});
afterEach(() => scene.clear());

const doctor = (options = {}) => runDoctor(test.engine, options);

describe('the doctor', () => {
  it('reports every check, its invariant and its duration', async () => {
    const report = await doctor();
    expect(report).toMatchObject({ violations: 0, gaveUp: 0 });
    expect(report.checks.length).toBeGreaterThan(25);
    expect(report.checks[0]).toEqual({
      invariant: 'I1',
      promise: expect.stringContaining('event'),
      check: 'startedRunMissing',
      violations: [],
      isCut: false,
      gaveUp: undefined,
      durationMs: expect.any(Number),
    });
  });

  it('names the run and its project', async () => {
    const runId = await scene.run(['queued', 'running']);
    const { checks, violations } = await doctor({ only: ['I3'] });
    expect(violations).toBe(1);
    expect(checks.flatMap((check) => check.violations)).toEqual([
      { subject: runId, projectId: scene.projectId, message: expect.stringContaining(runId) },
    ]);
  });

  it('lists a hundred findings of a check at most, and says when there are more', async () => {
    for (let count = 0; count < 101; count++) await scene.run(['queued']);
    const { checks, violations } = await doctor({ only: ['I3'] });
    expect(violations).toBe(100);
    expect(checks.find(({ check }) => check === 'openRunWithoutWork')).toMatchObject({ isCut: true });
  });

  it('checks ended runs within its window only, and unfinished ones always', async () => {
    const clock = new ManualClock(new Date(Date.now() + 2 * 86_400_000));
    const inTwoDays = { ...test.engine, clock };
    await scene.run(['queued', 'succeeded']);
    expect(await runDoctor(inTwoDays)).toMatchObject({ violations: 0 });
    expect(await runDoctor(inTwoDays, { windowMs: 3 * 86_400_000 })).toMatchObject({ violations: 1 });
    expect(await runDoctor(inTwoDays, { windowMs: Number.POSITIVE_INFINITY })).toMatchObject({ violations: 1 });
    await scene.run(['queued']);
    expect(await runDoctor(inTwoDays)).toMatchObject({ violations: 1 });
  });

  it('gives a check up that takes too long, and goes on with the next', async () => {
    const blocker = await test.db.pool.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table event in access exclusive mode');
      const { checks, gaveUp } = await doctor({ timeoutMs: 50, only: ['I1', 'I4'] });
      expect(gaveUp).toBe(4);
      expect(checks[0]?.gaveUp).toContain('50 ms');
      expect(checks.at(-1)).toMatchObject({ invariant: 'I4', gaveUp: undefined });
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
  });

  it('changes nothing and leaves no limit behind on its connection', async () => {
    await scene.sleeping();
    await doctor();
    const { rows } = await test.db.query<{ timeout: string }>(`select current_setting('statement_timeout') as timeout`);
    expect(rows[0]?.timeout).toBe('50s');
  });

  it.each([{ windowMs: 0 }, { windowMs: Number.NaN }, { timeoutMs: 0 }, { timeoutMs: 1.5 }, { only: ['I99'] }])(
    'refuses %j',
    async (options) => {
      await expect(doctor(options)).rejects.toMatchObject({ kind: 'invalid' });
    },
  );
});
