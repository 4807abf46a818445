import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { fireDueSchedules, reanchorSchedules } from '../../../src/engine/schedules/index.ts';
import { nextDueInMs } from '../../../src/engine/work/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, ScriptedDispatcher } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock(new Date('2026-05-01T12:00:30Z'));
const minuteMs = 60_000;

const test = useEngine({ clock });
afterEach(async () => {
  onFailPoint(undefined);
  await test.db.query('delete from cron_schedule');
});

const at = (text: string): void => clock.advance(new Date(text).getTime() - clock.now().getTime());

async function scheduled(crons: Record<string, string[]>) {
  const projectId = await createTestProject(test.engine);
  const register = (next: Record<string, string[]>) =>
    registerWorkflows(
      test.engine,
      projectId,
      Object.entries(next).map(([name, list]) => ({
        name,
        triggers: [{ event: 'never' }, ...list.map((cron) => ({ cron }))],
      })),
    );
  await register(crons);
  const runs = () => test.db.prisma.run.findMany({ where: { projectId }, orderBy: { id: 'asc' } });
  const scheduledAts = async () => (await runs()).map((run) => JSON.parse(JSON.stringify(run.input)).scheduledAt);
  const schedule = () => test.db.prisma.cronSchedule.findFirstOrThrow({ where: { workflow: { projectId } } });
  return { projectId, register, runs, scheduledAts, schedule };
}

/** Takes turns until no schedule is due. */
async function fire(engine: EngineContext = test.engine): Promise<number> {
  let fired = 0;
  for (let again = true; again; ) {
    const report = await fireDueSchedules(engine);
    fired += report.fired;
    again = report.again;
  }
  return fired;
}

/** Another process on the same database. */
const sibling = (): EngineContext =>
  createEngine({ db: test.db, log: test.engine.log, clock, settings: test.engine.settings });

describe('a schedule that is due', () => {
  it('starts a run whose event has the name of the workflow and describes the instant', async () => {
    at('2026-05-01T12:00:30Z');
    const { runs, schedule } = await scheduled({ report: ['* * * * *'] });
    expect(await fire()).toBe(0);
    expect(await nextDueInMs(test.engine)).toMatchObject({ fireInMs: 30_000 });
    clock.advance(30_000);
    expect(await fire()).toBe(1);
    expect(await runs()).toMatchObject([
      { triggerKind: 'cron', eventName: null, eventId: null, status: 'queued', depth: 0, runner: null },
    ]);
    expect(await schedule()).toMatchObject({
      nextFireAt: new Date('2026-05-01T12:02:00Z'),
      lastFiredAt: new Date('2026-05-01T12:01:00Z'),
      lastRefusedAt: null,
    });
    const seen: InvokeRequest[] = [];
    const dispatcher = await new ScriptedDispatcher(test.engine, (request) => {
      seen.push(request);
      return complete(1);
    }).start();
    await dispatcher.runOnce();
    expect(seen[0]).toMatchObject({
      event: { name: 'report', data: { cron: '* * * * *', scheduledAt: '2026-05-01T12:01:00.000Z' } },
      ctx: { triggerKind: 'cron', workflow: 'report' },
    });
    expect(seen[0]?.event.id).toBeUndefined();
  });

  it('F2: fires once after any number of missed instants, and continues with the next future one', async () => {
    at('2026-05-02T00:00:30Z');
    const { scheduledAts, schedule } = await scheduled({ report: ['*/5 * * * *'] });
    clock.advance(36 * 3_600_000);
    expect(await fire()).toBe(1);
    expect(await scheduledAts()).toEqual(['2026-05-02T00:05:00.000Z']);
    expect((await schedule()).nextFireAt).toEqual(new Date('2026-05-03T12:05:00Z'));
  });

  it('F1: fires once, however many schedulers run at the same time', async () => {
    at('2026-05-04T00:00:30Z');
    const workflows = Array.from({ length: 250 }, (_, n) => [`w${n}`, ['* * * * *', '*/2 * * * *']] as const);
    const { runs } = await scheduled(Object.fromEntries(workflows.map(([name, crons]) => [name, [...crons]])));
    clock.advance(2 * minuteMs);
    const schedulers = [test.engine, sibling(), sibling()];
    const fired = await Promise.all(schedulers.map((engine) => fire(engine)));
    expect(fired.reduce((sum, each) => sum + each)).toBe(500);
    expect(await runs()).toHaveLength(500);
    expect(await fire()).toBe(0);
  });

  it('starts a run even without a runner', async () => {
    at('2026-05-05T00:00:30Z');
    const { runs } = await scheduled({ report: ['* * * * *'] });
    await test.db.query('update runner set connected = false, last_seen_at = $1', [new Date(0)]);
    clock.advance(minuteMs);
    expect(await fire()).toBe(1);
    expect(await runs()).toMatchObject([{ status: 'queued' }]);
  });

  it.each(['ingestIntakes:before', 'ingestIntakes:after', 'moveSchedules:before', 'moveSchedules:after'])(
    'fires exactly once if the process dies at %s',
    async (where) => {
      at('2026-05-06T00:00:30Z');
      const { runs } = await scheduled({ report: ['* * * * *'] });
      clock.advance(minuteMs);
      onFailPoint((point) => {
        if (point === where) throw new Error('died');
      });
      await expect(fire()).rejects.toThrow('died');
      expect(await runs()).toHaveLength(0);
      onFailPoint(undefined);
      expect(await fire(sibling())).toBe(1);
      expect(await fire()).toBe(0);
      expect(await runs()).toHaveLength(1);
    },
  );
});

describe('a registration', () => {
  it('removes omitted schedules, even overdue ones, and adds new ones at once', async () => {
    at('2026-05-07T00:00:30Z');
    const { register, scheduledAts, schedule } = await scheduled({ report: ['* * * * *'] });
    clock.advance(minuteMs);
    await register({ report: ['0 * * * *'] });
    expect(await fire(sibling())).toBe(0);
    expect((await schedule()).nextFireAt).toEqual(new Date('2026-05-07T01:00:00Z'));
    at('2026-05-07T01:00:00Z');
    expect(await fire()).toBe(1);
    await register({ report: [] });
    at('2026-05-07T05:00:00Z');
    expect(await fire()).toBe(0);
    expect(await scheduledAts()).toEqual(['2026-05-07T01:00:00.000Z']);
  });

  it('keeps the time of an unchanged schedule', async () => {
    at('2026-05-08T00:00:30Z');
    const { register, schedule } = await scheduled({ report: ['0 * * * *'] });
    const before = await schedule();
    at('2026-05-08T03:00:00Z');
    await register({ report: ['0 * * * *', '30 4 1 1 *'] });
    expect(await test.db.prisma.cronSchedule.findUnique({ where: { id: before.id } })).toEqual(before);
  });

  it('F4: reaches a scheduler with an old copy of the registry', async () => {
    at('2026-05-09T00:00:30Z');
    const { projectId, register, runs } = await scheduled({ report: ['* * * * *'] });
    const other = sibling();
    await other.registry.snapshot(projectId);
    await register({ report: ['* * * * *'], audit: ['* * * * *'] });
    clock.advance(minuteMs);
    expect(await fire(other)).toBe(2);
    const versions = await test.db.prisma.workflow.findMany({ where: { projectId } });
    expect((await runs()).map((run) => run.version).sort()).toEqual(versions.map((each) => each.version).sort());
  });
});

describe('a suspended project', () => {
  it('starts no run, records the refusal, and moves its schedule on', async () => {
    at('2026-05-10T00:00:30Z');
    const { projectId, runs, schedule } = await scheduled({ report: ['* * * * *'] });
    await updateProject(test.engine, { id: projectId, suspended: true });
    clock.advance(minuteMs);
    expect(await fire()).toBe(0);
    expect(await runs()).toHaveLength(0);
    expect(await schedule()).toMatchObject({
      nextFireAt: new Date('2026-05-10T00:02:00Z'),
      lastFiredAt: null,
      lastRefusedAt: new Date('2026-05-10T00:01:30Z'),
    });
    await updateProject(test.engine, { id: projectId, suspended: false });
    clock.advance(30_000);
    expect(await fire(sibling())).toBe(1);
  });
});

describe('a clock that is set back', () => {
  it('F3: does not fire an instant again', async () => {
    at('2026-05-11T00:00:30Z');
    const { scheduledAts } = await scheduled({ report: ['* * * * *'] });
    clock.advance(minuteMs);
    await fire();
    clock.advance(-minuteMs);
    await test.db.query(`update cron_schedule set next_fire_at = '2026-05-11T00:01:00Z'`);
    clock.advance(minuteMs);
    expect(await fire()).toBe(0);
    clock.advance(minuteMs);
    await fire();
    expect(await scheduledAts()).toEqual(['2026-05-11T00:01:00.000Z', '2026-05-11T00:02:00.000Z']);
  });

  it('does not silence a schedule for the time it was ahead', async () => {
    at('2026-05-12T00:00:30Z');
    const { scheduledAts, schedule } = await scheduled({ report: ['* * * * *'] });
    clock.advance(86_400_000);
    await fire();
    clock.advance(-86_400_000);
    expect(await fire()).toBe(0);
    expect(await reanchorSchedules(test.engine)).toBe(1);
    expect(await reanchorSchedules(test.engine)).toBe(0);
    expect((await schedule()).lastFiredAt).toEqual(clock.now());
    clock.advance(minuteMs);
    // This instant fired while the clock ran ahead.
    expect(await fire()).toBe(0);
    clock.advance(minuteMs);
    expect(await fire()).toBe(1);
    expect(await scheduledAts()).toEqual(['2026-05-12T00:01:00.000Z', '2026-05-12T00:02:00.000Z']);
  });
});
