import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from '../../../src/engine/db/embedded/index.ts';
import { builtModule } from '../../support/build.ts';

const isRoot = process.getuid?.() === 0;

describe('the embedded PostgreSQL', () => {
  let folder: string;
  let directory: string;
  const started: EmbeddedDatabase[] = [];
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    // Mode 0700, like a home, and with a space in its name.
    folder = await mkdtemp(join(tmpdir(), 'holdfast embedded '));
    directory = join(folder, 'pg');
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const server of started.splice(0).reverse()) await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedDatabase> => {
    const server = await startEmbedded({ directory, ...options });
    started.push(server);
    return server;
  };
  const query = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  /**
   * Starts the database in a process of its own, as a service does. The end of the test kills that
   * process.
   */
  const startInChild = async (user: object = {}): Promise<{ child: ChildProcess; url: string; pid: number }> => {
    const program = `
      const { startEmbedded } = await import(${JSON.stringify(builtModule('src/engine/db/embedded/index.js'))});
      const { url, pid } = await startEmbedded({ directory: ${JSON.stringify(directory)} });
      console.log(JSON.stringify({ url, pid }));
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: tmpdir(),
      ...user,
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout });
    const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => ['{}'])]);
    return { child, ...JSON.parse(String(line)) };
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    const end = Date.now() + 20_000;
    while (!(await condition().catch(() => false))) {
      if (Date.now() > end) throw new Error('the condition did not come true within 20 s');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  test('initializes itself: durable, in UTF-8, with a password that others cannot read', async () => {
    const { url } = await start();
    const [row] = await query(
      url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        pg_encoding_to_char(encoding) as encoding, datlocale as locale, current_setting('listen_addresses') as host
       from pg_database where datname = current_database()`,
    );
    expect(row).toEqual({ fsync: 'on', commit: 'on', encoding: 'UTF8', locale: 'C.UTF-8', host: '127.0.0.1' });
    const { password } = JSON.parse(await readFile(join(directory, 'holdfast.json'), 'utf8'));
    expect(password).toHaveLength(32);
    expect((await stat(join(directory, 'holdfast.json'))).mode & 0o777).toBe(0o600);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
  });

  test('keeps its data and its port from one start to the next', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    await expect(query(first.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
    const second = await start();
    expect(second).toMatchObject({ port: first.port, url: first.url, isAdopted: false });
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('E1: outlives a killed service, and is adopted by the next', async () => {
    const { child, url, pid } = await startInChild();
    await query(url, 'create table kept as select 42 as answer');
    await kill(child);
    const second = await start();
    expect(second).toMatchObject({ pid, url, isAdopted: true });
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await second.stop();
    await expect(query(url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });

  test('starts after both it and the service were killed', async () => {
    const { child, url, pid } = await startInChild();
    await query(url, 'create table kept as select 42 as answer');
    await kill(child);
    process.kill(pid, 'SIGKILL');
    const second = await start();
    expect(second).toMatchObject({ isAdopted: false });
    expect(second.pid).not.toBe(pid);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('is restarted on the same port if it is killed under a running service', async () => {
    const server = await start();
    await query(server.url, 'create table kept as select 42 as answer');
    const { pid, url } = server;
    process.kill(pid, 'SIGKILL');
    await until(async () => server.pid !== pid && (await query(url, 'select answer from kept')).length === 1);
    expect(server.url).toBe(url);
  });

  test('is restarted if it was adopted and is killed', async () => {
    const { child, url, pid } = await startInChild();
    await query(url, 'create table kept as select 42 as answer');
    await kill(child);
    const server = await start();
    process.kill(pid, 'SIGKILL');
    await until(async () => server.pid !== pid && (await query(url, 'select answer from kept')).length === 1);
  });

  test('E3: ignores a postmaster.pid that names an unrelated process', async () => {
    const first = await start();
    await first.stop();
    await writeFile(join(directory, 'postmaster.pid'), `${process.pid}\n${directory}\n1\n${first.port}\n\n127.0.0.1\n`);
    const second = await start();
    expect(second).toMatchObject({ isAdopted: false });
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('E2: does not adopt a PostgreSQL with other data, although password, port and pid file agree', async () => {
    const original = await start();
    await original.stop();
    const copy = join(folder, 'copy');
    await cp(directory, copy, { recursive: true });
    const { uid, gid } = await stat(directory);
    const chownAll = async (path: string): Promise<void> => {
      await chown(path, uid, gid);
      if (!(await stat(path)).isDirectory()) return;
      for (const name of await readdir(path)) await chownAll(join(path, name));
    };
    await chownAll(copy);
    const again = await start();
    await cp(join(directory, 'postmaster.pid'), join(copy, 'postmaster.pid'));
    await chownAll(copy);
    const other = await start({ directory: copy });
    expect(other.isAdopted).toBe(false);
    expect(other.port).not.toBe(again.port);
    await query(other.url, 'create table mine ()');
    await expect(query(again.url, 'select from mine')).rejects.toThrow('does not exist');
  });

  test('E2: takes another port if its own is in use, and remembers it', async () => {
    const first = await start();
    await first.stop();
    const squatter = createServer().listen(first.port, '127.0.0.1');
    await once(squatter, 'listening');
    const second = await start();
    expect(second.port).not.toBe(first.port);
    await second.stop();
    squatter.close();
    expect((await start()).port).toBe(second.port);
  });

  test('E1: is one server for two services that start at once', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.pid).toBe(two.pid);
    expect(one.url).toBe(two.url);
    expect(await query(two.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('continues while another Holdfast process is connected', async () => {
    const first = await start();
    const second = await start();
    const client = new pg.Client({ connectionString: second.url, application_name: 'holdfast' });
    await client.connect();
    await first.stop();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await second.stop();
    await expect(query(first.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });

  test('leaves a data directory of another major version unchanged, and says what to do', async () => {
    const first = await start();
    await first.stop();
    await writeFile(join(directory, 'PG_VERSION'), '17\n');
    const before = await listing(directory);
    await expect(start()).rejects.toThrow(
      /was created by PostgreSQL 17, but this build has PostgreSQL \d+.*DATABASE_URL/,
    );
    expect(await listing(directory)).toEqual(before);
  });

  test('E3: leaves a folder of other files unchanged', async () => {
    await mkdir(directory);
    await writeFile(join(directory, 'thesis.txt'), 'mine');
    await expect(start()).rejects.toThrow('has files, but no database that Holdfast created');
    expect(await readdir(directory)).toEqual(['thesis.txt']);
  });

  test('E3: removes the draft of a killed initialization', async () => {
    const left = join(folder, 'pg.init-4194300-abc');
    await mkdir(left);
    await start();
    await expect(stat(left)).rejects.toThrow('ENOENT');
  });

  test.each([['fsync'], ['synchronous_commit'], ['full_page_writes']])('refuses to run with %s off', async (name) => {
    await expect(start({ settings: { [name]: 'off' } })).rejects.toThrow(`${name} is off`);
    expect((await readdir(directory)).includes('postmaster.pid')).toBe(false);
  });

  test('reports the output of a PostgreSQL that does not start', async () => {
    await expect(start({ settings: { nonsense: '1' } })).rejects.toThrow(
      'unrecognized configuration parameter "nonsense"',
    );
  });

  test.runIf(isRoot)('runs as an ordinary user, too', async () => {
    const nobody = { uid: 65534, gid: 65534 };
    await chown(folder, nobody.uid, nobody.gid);
    const { url, child, pid } = await startInChild(nobody);
    expect((await stat(directory)).uid).toBe(nobody.uid);
    await query(url, 'create table kept as select 42 as answer');
    await kill(child);
    // Root uses the data of the user, as that user.
    const server = await start();
    expect(server).toMatchObject({ isAdopted: true, pid });
    await server.stop();
    expect(await query((await start()).url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect((await stat(join(directory, 'postmaster.pid'))).uid).toBe(nobody.uid);
  });

  test.runIf(isRoot)('says so when its folder belongs to another user', async () => {
    const server = await start();
    await server.stop();
    await chown(folder, 65534, 65534);
    const program = `
      const { startEmbedded } = await import(${JSON.stringify(builtModule('src/engine/db/embedded/index.js'))});
      await startEmbedded({ directory: ${JSON.stringify(directory)} }).catch((error) => console.log(error.message));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      uid: 65534,
      gid: 65534,
      cwd: tmpdir(),
    });
    children.push(child);
    expect(String((await once(child.stdout, 'data'))[0])).toContain('belongs to another user');
  });
});

async function listing(directory: string): Promise<string[]> {
  const names = (await readdir(directory, { recursive: true })).sort();
  return Promise.all(names.map(async (name) => `${name} ${(await stat(join(directory, name))).mtimeMs}`));
}

describe.runIf(isRoot && process.platform === 'linux')('programs below a private folder', () => {
  test('get their library links, and a copy that other users may run', async () => {
    const { prepareBinaries } = await import('../../../src/engine/db/embedded/binaries.ts');
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-private-'));
    const { initdb } = await prepareBinaries(undefined);
    const original = dirname(dirname(dirname(initdb)));
    const account = { uid: 65534, gid: 65534 };
    try {
      const isLink = async (path: string): Promise<boolean> => !path.endsWith('libpq.so.5');
      await cp(original, join(folder, 'package'), { recursive: true, verbatimSymlinks: true, filter: isLink });
      const binaries = await prepareBinaries(account, join(folder, 'package'));
      expect(binaries.initdb.startsWith('/var/cache/holdfast/')).toBe(true);
      const child = spawn(binaries.initdb, ['--version'], { ...account, cwd: '/' });
      expect(String((await once(child.stdout, 'data'))[0])).toContain(`(PostgreSQL) ${binaries.major}.`);
      expect((await stat(join(folder, 'package/native/lib/libpq.so.5'))).isFile()).toBe(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
