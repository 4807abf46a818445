import type pg from 'pg';
import type { RestServer } from './restServer.ts';

/** Makes all reads of runs and of model calls wait during `work`. */
export async function whileReadsWait<T>(
  { engine }: RestServer,
  work: (holder: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const holder = await engine.db.pool.connect();
  try {
    await holder.query('begin; lock table run, ai_usage in access exclusive mode');
    return await work(holder);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

/** The reads of runs that wait. */
export async function countWaiting(holder: pg.PoolClient): Promise<number> {
  const { rows } = await holder.query<{ count: number }>(
    `select count(*) from pg_locks join pg_database on pg_database.oid = database
     where not granted and relation = 'run'::regclass and datname = current_database()`,
  );
  return rows[0]?.count ?? 0;
}
