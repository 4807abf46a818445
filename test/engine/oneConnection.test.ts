import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { flushDueBuffers } from '../../src/engine/admission/index.ts';
import { createEngine } from '../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../src/engine/clock.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import type { Database } from '../../src/engine/db/database.ts';
import { onFailPoint } from '../../src/engine/db/failPoints.ts';
import { openDatabase } from '../../src/engine/db/pool/open.ts';
import { sendEvent } from '../../src/engine/events/index.ts';
import { fireDueSchedules } from '../../src/engine/schedules/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { registerWorkflows } from '../support/workflows.ts';

const clock = new ManualClock(new Date('2026-05-01T12:00:30Z'));
const minuteMs = 60_000;
const test = useEngine({ clock });
/** A pool with a single connection. */
let narrow: Database;
let projectId: string;

beforeAll(async () => {
  narrow = await openDatabase({ url: test.url, max: 1 });
});
afterEach(async () => {
  onFailPoint(undefined);
  await test.db.query('delete from cron_schedule');
});
afterAll(() => narrow.close());

/** A process that just started, with empty caches. */
const started = (): EngineContext =>
  createEngine({ db: narrow, clock, log: pino({ level: 'silent' }), settings: test.engine.settings });

const laneOf = (workflow: string) => test.db.prisma.lane.findMany({ where: { projectId, workflow } });
const runsOf = (workflow: string) => test.db.prisma.run.count({ where: { projectId, workflow } });

describe('a process all of whose other connections are in use', () => {
  beforeAll(async () => {
    projectId = await createTestProject(test.engine);
  });

  it('fires cron schedules and flushes buffers, of projects and lanes that it has not seen before', async () => {
    const gathered = { name: 'mail', triggers: [{ event: 'mail' }], debounce: { periodMs: 1_000 } };
    await registerWorkflows(test.engine, projectId, [gathered, { name: 'nightly', triggers: [{ cron: '* * * * *' }] }]);
    await sendEvent(test.engine, { projectId, input: { name: 'mail' } });
    clock.advance(minuteMs);
    const [cron, buffers] = [started(), started()];
    const [fired, flushed] = await Promise.all([fireDueSchedules(cron), flushDueBuffers(buffers)]);
    expect([fired.fired, flushed.flushed]).toEqual([1, 1]);
    expect([await runsOf('nightly'), await runsOf('mail')]).toEqual([1, 1]);
  });

  it('does not cache a lane whose transaction rolled back', async () => {
    await registerWorkflows(test.engine, projectId, [{ name: 'fresh', triggers: [{ cron: '* * * * *' }] }]);
    clock.advance(minuteMs);
    const cron = started();
    onFailPoint((point) => {
      if (point === 'moveSchedules:before') throw new Error('not now');
    });
    await expect(fireDueSchedules(cron)).rejects.toThrow('not now');
    onFailPoint(undefined);
    expect(await laneOf('fresh')).toEqual([]);
    expect(await fireDueSchedules(cron)).toMatchObject({ fired: 1 });
    const [lane] = await laneOf('fresh');
    const key = { projectId, app: 'default', workflow: 'fresh', runner: '' };
    expect(await cron.lanes.ensure([key])).toEqual([lane?.id]);
  });
});
