import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedDatabase, startEmbedded } from '../src/engine/db/embedded/index.ts';

const reported = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'shared_buffers',
  'max_connections',
  'shared_preload_libraries',
];

/** A PostgreSQL of its own for one measurement, with default settings except for the given ones. */
export class BenchDatabase {
  readonly url: string;
  readonly pid: number;
  readonly pool: pg.Pool;
  readonly #server: EmbeddedDatabase;
  readonly #quit = (): void => void process.kill(this.pid, 'SIGQUIT');

  private constructor(server: EmbeddedDatabase) {
    this.#server = server;
    this.url = server.url;
    this.pid = server.pid;
    this.pool = new pg.Pool({
      connectionString: server.url,
      max: 2,
      application_name: 'bench',
      // The bench's own statements are not counted.
      options: '-c pg_stat_statements.track=none',
    });
    // The server stops before its idle connections do.
    this.pool.on('error', () => undefined);
    // Otherwise the server would outlive an interrupted bench.
    process.once('exit', this.#quit);
  }

  static async start(directory: string, settings: Record<string, string> = {}): Promise<BenchDatabase> {
    const database = new BenchDatabase(await startEmbedded({ directory: join(directory, 'pg'), settings }));
    await database.#prepareLog();
    return database;
  }

  /**
   * Lets the server have segments of its write-ahead log to reuse, as any server has that is older
   * than a minute under load. A new one makes them while all commits wait: 16 MiB of zeros and a
   * flush each.
   */
  async #prepareLog(): Promise<void> {
    for (let segment = 0; segment < 4; segment += 1) {
      await this.pool.query("select pg_logical_emit_message(true, 'bench', 'fills a segment')");
      await this.pool.query('select pg_switch_wal()');
    }
    await this.pool.query('checkpoint');
  }

  /** The settings that influence the figures most. */
  async settings(): Promise<Record<string, string>> {
    const { rows } = await this.pool.query<{ name: string; setting: string }>(
      `select name, setting || coalesce(' ' || unit, '') as setting from pg_settings where name = any($1) order by name`,
      [reported],
    );
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  }

  /** Heap and indexes, without the write-ahead log. */
  async sizeMib(): Promise<number> {
    const { rows } = await this.pool.query<{ mib: number }>(
      'select pg_database_size(current_database())::float8 / 1048576 as mib',
    );
    return rows[0]?.mib ?? Number.NaN;
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.#server.stop();
    process.off('exit', this.#quit);
  }
}
