import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { onFailPoint } from '../../../../src/engine/db/failPoints.ts';
import { isMigrated, migrateDatabase } from '../../../../src/engine/db/migrations/migrate.ts';
import { createEmptyDatabase } from '../../../support/database.ts';
import { somebodyWaits } from '../../../support/lockWaits.ts';

describe('migrations', () => {
  let directory: string;
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-migrations-'));
    database = await createEmptyDatabase();
  });
  afterEach(async () => {
    onFailPoint(undefined);
    await rm(directory, { recursive: true, force: true });
    await database.drop();
  });

  const write = async (name: string, script: string): Promise<void> => {
    await mkdir(join(directory, name), { recursive: true });
    await writeFile(join(directory, name, 'migration.sql'), script);
  };
  const migrate = (lockWaitMs?: number): Promise<string[]> =>
    migrateDatabase({ url: database.url, directory, lockWaitMs });
  const query = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  const tables = async (): Promise<unknown[]> =>
    (await query(`select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`))
      .map((row) => row['relname'])
      .filter((name) => name !== '_prisma_migrations')
      .sort();

  test('those of the project migrate an empty database once', async () => {
    const applied = await migrateDatabase({ url: database.url });
    expect(applied).toContain('20261121000000_init');
    expect(await tables()).toContain('run_work');
    expect(await migrateDatabase({ url: database.url })).toEqual([]);
  });

  test('are applied in order, and recorded as Prisma records them', async () => {
    await write('2_second', 'alter table a add column b int;');
    await write('1_first', 'create table a (x int);');
    expect(await migrate()).toEqual(['1_first', '2_second']);
    const records = await query(
      `select migration_name, checksum, finished_at is not null as finished, rolled_back_at, applied_steps_count
       from _prisma_migrations order by started_at`,
    );
    expect(records).toEqual([
      {
        migration_name: '1_first',
        checksum: '85e277de3a896cedccd741062229d9e853c30b98aa7da7e5b08a19221fd7f81c',
        finished: true,
        rolled_back_at: null,
        applied_steps_count: 1,
      },
      expect.objectContaining({ migration_name: '2_second', finished: true }),
    ]);
  });

  test('may hold semicolons in strings, comments and bodies', async () => {
    await write('1_first', `-- a; b\ncreate table a (x text default 'a;b');\ndo $$ begin perform 1; end $$;`);
    expect(await migrate()).toEqual(['1_first']);
    expect(await tables()).toEqual(['a']);
  });

  test('M1: are applied once by four racing processes', async () => {
    await write('1_first', 'create table a (x int); select pg_sleep(0.1);');
    await write('2_second', 'create table b (x int);');
    const applied = await Promise.all([migrate(), migrate(), migrate(), migrate()]);
    expect(applied.flat().sort()).toEqual(['1_first', '2_second']);
  });

  describe('while services are running', () => {
    let pool: pg.Pool;

    beforeEach(async () => {
      pool = new pg.Pool({ connectionString: database.url });
      await write('1_first', 'create table a (x int);\ncreate table b (x int);');
      await migrate();
      await write('2_second', 'alter table a add column y int;\nalter table b add column y int;');
    });

    afterEach(() => pool.end());

    /** Another session, in a transaction that writes to `b`. */
    async function writer(): Promise<pg.PoolClient> {
      const client = await pool.connect();
      await client.query('begin');
      await client.query('insert into b values (1)');
      return client;
    }

    test('are applied after a deadlock with a service', async () => {
      const other = await writer();
      const migrating = migrate();
      await somebodyWaits(pool);
      await other.query('insert into a values (1)');
      await other.query('commit');
      other.release();
      expect(await migrating).toEqual(['2_second']);
      expect(await query('select x, y from a')).toEqual([{ x: 1, y: null }]);
    });

    test('delay services for less time than they wait themselves', async () => {
      const other = await writer();
      const migrating = migrate();
      await somebodyWaits(pool);
      // Locks `a`, and the script's retry releases it while the other session continues.
      await query('insert into a values (2)');
      await other.query('commit');
      other.release();
      expect(await migrating).toEqual(['2_second']);
    });

    test('M2: time out, and leave no trace', async () => {
      const other = await writer();
      await expect(migrate(1)).rejects.toThrow(/migration 2_second failed at line 2: .*lock timeout/);
      await other.query('commit');
      other.release();
      expect(await migrate()).toEqual(['2_second']);
    });
  });

  test('M1: wait for another process for a limited time', async () => {
    await write('1_first', 'create table a (x int);');
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('select pg_advisory_lock(72707369)');
    await expect(migrate(50)).rejects.toThrow('another process has been migrating this database for over 50 ms');
    await other.end();
    expect(await migrate()).toEqual(['1_first']);
  });

  describe('that fail', () => {
    const failing: [string, string, string][] = [
      ['a syntax error', 'create table b (x int);\n-- Ümlaut 🙂\ncreate tabel c (x int);', 'line 3: syntax error'],
      ['an unknown name', 'create table b (x int);\n\nselect y\n  from nowhere;', 'line 4: relation "nowhere"'],
      ['a conflict', "create table b (x text);\n/* ;\n; */ select ';';\ncreate table a ();", 'line 4: relation "a"'],
      [
        'a body',
        'create table b (x int);\ndo $x$\nbegin; raise exception $$no; no$$; end $x$;',
        'line 3: syntax error',
      ],
      ['a check', 'insert into a values (1);\n\ninsert into a\nvalues (1);', 'line 3: duplicate key'],
    ];
    test.each(failing)('M2: by %s are named with their line, and leave no trace', async (_, script, message) => {
      await write('1_first', 'create table a (x int primary key);');
      await write('2_broken', script);
      await write('3_third', 'create table d (x int);');
      await expect(migrate()).rejects.toThrow(`migration 2_broken failed at ${message}`);
      expect(await tables()).toEqual(['a']);
      await write('2_broken', 'create table b (x int);');
      expect(await migrate()).toEqual(['2_broken', '3_third']);
    });

    test('M2: between script and record leave no trace', async () => {
      await write('1_first', 'create table a (x int);');
      onFailPoint((point) => {
        if (point === 'migration:before') throw new Error('died');
      });
      await expect(migrate()).rejects.toThrow('died');
      expect(await tables()).toEqual([]);
      onFailPoint(undefined);
      expect(await migrate()).toEqual(['1_first']);
    });
  });

  describe('of a newer version, which this build does not know', () => {
    const migrateNewer = async (name: string, script: string): Promise<void> => {
      await write('1_first', 'create table a (x int);');
      await write('5_fifth', 'create table b (x int);');
      await write(name, script);
      await migrate();
      await rm(join(directory, name), { recursive: true });
    };

    test('M3: cause a warning, and the build continues with their schema', async () => {
      await migrateNewer('9_newer', '-- Why: more\n\ncreate table z (x int);');
      const warnings: unknown[] = [];
      const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line)) });
      expect(await migrateDatabase({ url: database.url, directory, log })).toEqual([]);
      expect(warnings).toMatchObject([{ migrations: ['9_newer'], msg: expect.stringContaining('a newer version') }]);
      await write('9_newer', '-- Why: more\n\ncreate table z (x int);');
      expect(await migrate()).toEqual([]);
      expect(await tables()).toEqual(['a', 'b', 'z']);
    });

    test('M3: are refused if one says that it breaks older builds', async () => {
      await migrateNewer('9_newer', '-- Why: less\n-- Breaks older builds: they read b\n\ndrop table b;');
      await expect(migrate()).rejects.toThrow(
        'cannot work with migration 9_newer (they read b). Start the newer version',
      );
    });

    test('M3: are refused even if another tool applied it, once the newer version has started', async () => {
      const script = '--breaks older builds\ndrop table b;';
      await migrateNewer('9_newer', script);
      await query('update _prisma_migrations set logs = null');
      await write('9_newer', script);
      await migrate();
      await rm(join(directory, '9_newer'), { recursive: true });
      await expect(migrate()).rejects.toThrow('cannot work with migration 9_newer (it breaks older builds)');
    });

    test('M3: are refused if they lie between its own', async () => {
      await migrateNewer('3_third', 'create table z (x int);');
      await expect(migrate()).rejects.toThrow('has the unknown migration 3_third, and its history differs');
    });

    test('M3: are refused if the database lacks one of the build', async () => {
      await migrateNewer('9_newer', 'create table z (x int);');
      await write('8_eighth', 'create table c (x int);');
      await expect(migrate()).rejects.toThrow('ends with 8_eighth, and the database lacks 8_eighth');
      expect(await tables()).toEqual(['a', 'b', 'z']);
    });
  });

  test('M3: that were edited since are refused', async () => {
    await write('1_first', 'create table a (x int);');
    await migrate();
    await write('1_first', 'create table a (x bigint);');
    await write('2_second', 'create table b (x int);');
    await expect(migrate()).rejects.toThrow('1_first was edited after it was applied');
    expect(await tables()).toEqual(['a']);
  });

  test('M3: that failed half-way in another tool are refused until they are resolved', async () => {
    await write('1_first', 'create table a (x int);');
    await migrate();
    await query('update _prisma_migrations set finished_at = null');
    await expect(migrate()).rejects.toThrow('1_first failed half-way');
    await query('update _prisma_migrations set rolled_back_at = now()');
    await query('drop table a');
    expect(await migrate()).toEqual(['1_first']);
  });

  test('that are pending are seen by the readiness check', async () => {
    await write('1_first', 'create table a (x int);');
    await migrate();
    const pool = new pg.Pool({ connectionString: database.url });
    expect(await isMigrated(pool, directory)).toBe(true);
    await write('2_second', 'create table b (x int);');
    expect(await isMigrated(pool, directory)).toBe(false);
    await pool.end();
  });
});
