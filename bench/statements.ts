import type { BenchDatabase } from './database.ts';
import { type Measures, round, sum } from './stats.ts';

/** The settings with which PostgreSQL counts statements. */
export const meteredSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

export interface StatementUse {
  /** The beginning of its text. */
  query: string;
  calls: number;
  /** Planning and execution, in ms. */
  ms: number;
  /** Pages of 8 KiB that it read. */
  pages: number;
}

/**
 * Counts statements, without the bench's own. The database must have been started with
 * `meteredSettings`.
 */
export class StatementMeter {
  readonly #database: BenchDatabase;

  private constructor(database: BenchDatabase) {
    this.#database = database;
  }

  static async start(database: BenchDatabase): Promise<StatementMeter> {
    await database.pool.query('create extension if not exists pg_stat_statements');
    const meter = new StatementMeter(database);
    await meter.reset();
    return meter;
  }

  async reset(): Promise<void> {
    await this.#database.pool.query('select pg_stat_statements_reset()');
  }

  /** The statements since the last reset, the most frequent first. */
  async read(): Promise<StatementUse[]> {
    const { rows } = await this.#database.pool.query<StatementUse>(
      `select left(regexp_replace(trim(query), '\\s+', ' ', 'g'), 70) as query,
         sum(calls)::int as calls, sum(total_plan_time + total_exec_time) as ms,
         sum(shared_blks_hit + shared_blks_read)::float8 as pages
       from pg_stat_statements s join pg_database d on d.oid = s.dbid
       where d.datname = current_database()
       group by 1 order by 2 desc, 1`,
    );
    return rows;
  }

  /**
   * The cost per operation: statements, time in the database in ms, pages; and the costliest
   * statements.
   */
  async per(things: number): Promise<Measures> {
    const uses = await this.read();
    const total = (of: (use: StatementUse) => number): number => round(sum(uses.map(of)) / things, 3);
    const costliest = uses.toSorted((one, other) => other.ms - one.ms).slice(0, 8);
    return {
      statements: total((use) => use.calls),
      databaseMs: total((use) => use.ms),
      pages: total((use) => use.pages),
      byStatement: Object.fromEntries(
        costliest.map(({ query, calls, ms }) => [
          query,
          { calls: round(calls / things, 3), ms: round(ms / things, 4) },
        ]),
      ),
    };
  }
}
