import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { forgetKeys } from '../../../src/engine/ingest/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const windowMs = 60_000;
const clock = new ManualClock();
const test = useEngine({ clock, settings: { dedupeWindowMs: windowMs } });
let projectId: string;

beforeEach(async () => {
  await test.db.prisma.dedupeKey.deleteMany();
  projectId = await createTestProject(test.engine);
});

const send = (dedupeId: string) => sendEvent(test.engine, { projectId, input: { name: 'ping', dedupeId } });
const known = async (): Promise<string[]> => {
  const rows = await test.db.prisma.dedupeKey.findMany({ where: { projectId }, orderBy: { key: 'asc' } });
  return rows.map((row) => row.key);
};

describe('deduplication keys', () => {
  it('are deleted once they expire, and no sooner', async () => {
    await send('a');
    clock.advance(1);
    await send('b');
    clock.advance(windowMs - 1);
    expect(await forgetKeys(test.engine)).toEqual({ forgotten: 1, full: false });
    expect(await known()).toEqual(['b']);
    expect(await send('b')).toMatchObject({ deduped: true });
    expect((await send('a')).deduped).toBeFalsy();
  });

  it('are deleted in bounded pages, the oldest first', async () => {
    for (const key of ['c', 'd', 'e']) {
      await send(key);
      clock.advance(1);
    }
    clock.advance(windowMs);
    await forgetKeys(test.engine, 2);
    expect(await known()).toEqual(['e']);
    expect(await forgetKeys(test.engine, 2)).toMatchObject({ full: false });
  });

  it('stay if they were claimed again', async () => {
    await send('f');
    clock.advance(windowMs);
    expect((await send('f')).deduped).toBeFalsy();
    expect(await forgetKeys(test.engine)).toMatchObject({ forgotten: 0 });
    expect(await send('f')).toMatchObject({ deduped: true });
  });

  it('are skipped while a transaction has locked them', async () => {
    await send('g');
    clock.advance(windowMs);
    await test.db.transaction(async (tx) => {
      await tx.query("select from dedupe_key where key = 'g' for update");
      expect(await forgetKeys(test.engine)).toEqual({ forgotten: 0, full: false });
    });
    expect(await forgetKeys(test.engine)).toEqual({ forgotten: 1, full: false });
  });

  it('are deleted by the scheduler, page after page', async () => {
    await send('h');
    clock.advance(windowMs);
    expect(await new Scheduler(test.engine).forget()).toEqual({ again: false });
    expect(await known()).toEqual([]);
  });
});
