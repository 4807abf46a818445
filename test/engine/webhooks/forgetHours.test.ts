import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { statementTexts } from '../../../src/engine/db/statement.ts';
import { newId } from '../../../src/engine/ids.ts';
import { forgetHours } from '../../../src/engine/webhooks/inbound/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { useEngine } from '../../support/engine.ts';

const hourMs = 3_600_000;
const clock = new ManualClock(new Date('2026-05-04T10:30:00.000Z'));
const test = useEngine({ clock });

beforeEach(() => test.db.query('truncate webhook_source_hour'));

/** Counts an unverified message at the start of an hour, so many hours before this one. */
const count = (ago: number) =>
  test.db.query('insert into webhook_source_hour (source_id, hour, recorded) values ($1, $2, 1)', [
    newId(),
    new Date(Date.parse('2026-05-04T10:00:00.000Z') - ago * hourMs),
  ]);

const agos = async (): Promise<number[]> => {
  const rows = await test.db.prisma.webhookSourceHour.findMany({ orderBy: { hour: 'desc' } });
  return rows.map(({ hour }) => (Date.parse('2026-05-04T10:00:00.000Z') - hour.getTime()) / hourMs);
};

describe('the counts of unverified messages', () => {
  it('are deleted when their hour began two days ago, and no sooner', async () => {
    for (const ago of [0, 1, 47, 48, 49, 500]) await count(ago);
    expect(await forgetHours(test.engine)).toEqual({ forgotten: 3, full: false });
    expect(await agos()).toEqual([0, 1, 47]);
  });

  it('are deleted in bounded pages, the oldest first', async () => {
    for (const ago of [60, 61, 62]) await count(ago);
    expect(await forgetHours(test.engine, 2)).toEqual({ forgotten: 2, full: true });
    expect(await agos()).toEqual([60]);
    expect(await forgetHours(test.engine, 2)).toEqual({ forgotten: 1, full: false });
  });

  it('are deleted by the index of hours, without a look at the others', async () => {
    await test.db.query(
      `insert into webhook_source_hour (source_id, hour, counted)
       select gen_random_uuid(), '2026-05-04T10:00:00Z'::timestamptz - (n % 40) * interval '1 hour', 1
       from generate_series(1, 5000) n`,
    );
    await count(100);
    await test.db.query('analyze webhook_source_hour');
    const text = statementTexts().get('deleteOldHours');
    const { rows } = await test.db.query(`explain (generic_plan) ${text}`);
    expect(JSON.stringify(rows)).toContain('Index Scan using webhook_source_hour_hour_idx');
    expect(JSON.stringify(rows)).not.toContain('Seq Scan');
    expect(await forgetHours(test.engine)).toEqual({ forgotten: 1, full: false });
  });

  it('are deleted by the scheduler', async () => {
    await count(48);
    expect(await new Scheduler(test.engine).forget()).toEqual({ again: false });
    expect(await agos()).toEqual([]);
  });
});
