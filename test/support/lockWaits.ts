import { expect, vi } from 'vitest';
import type { Queryable } from '../../src/engine/db/statement.ts';

/** The number of connections that wait for a lock now. */
export async function lockWaits(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0]?.n ?? 0;
}

/** Resolves when a connection waits for a lock. */
export const somebodyWaits = (db: Queryable): Promise<void> =>
  vi.waitFor(async () => expect(await lockWaits(db)).toBeGreaterThan(0), { timeout: 20_000 });
