import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RestServer, startRest } from '../rest/restServer.ts';
import { insertFrame, insertRun, insertStep, insertWorkflows } from '../schema/fixtures.ts';
import { type CliResult, cli } from './cli.ts';

let rest: RestServer;
let folder: string;

beforeAll(async () => {
  rest = await startRest();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-service-'));
  await insertWorkflows(rest.engine, rest.projectId, [
    { app: 'shop', name: 'ship' },
    { app: 'shop', name: 'bill' },
  ]);
  const triggers = JSON.stringify([{ event: 'order.*' }, { cron: '0 * * * *' }]);
  await rest.engine.db.query({ text: `update workflow set triggers = $1 where name = 'ship'`, values: [triggers] });
});
afterAll(async () => {
  await rest.close();
  await rm(folder, { recursive: true, force: true });
});

const envOf = (key: string): Record<string, string> => ({ HOLDFAST_URL: rest.url, HOLDFAST_API_KEY: key });
const run = (...args: string[]): Promise<CliResult> => cli(envOf(rest.keys.secret), ...args);

async function runJson(...args: string[]) {
  const { code, out, err } = await run(...args, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('holdfast workflows', () => {
  it('lists what is registered', async () => {
    const { code, out, err } = await run('workflows');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^APP +WORKFLOW +TRIGGERS +ATTEMPTS +UPDATED +RETIRED\nshop +bill +1 +\d{4}-.*\nshop +ship +order\.\*, cron 0 \* \* \* \* +1 /,
    );
    expect(await runJson('workflows')).toMatchObject([{ name: 'bill' }, { name: 'ship' }]);
  });

  it('retires and restores one, and the audit log says so', async () => {
    expect(await run('workflows', 'retire', 'shop', 'ship')).toMatchObject({
      code: 0,
      out: 'retired ship of app shop\n',
    });
    expect((await run('workflows')).out).toMatch(/\nshop +ship .* \d{4}-\S+ \d\d:\d\d +\d{4}-/);
    const again = await runJson('workflows', 'retire', 'shop', 'ship');
    expect(again).toMatchObject({ name: 'ship', retiredAt: expect.any(String), retiredBy: 'a secret key' });
    expect(await runJson('workflows', 'restore', 'shop', 'ship')).not.toHaveProperty('retiredAt');
    const [{ id: _id, createdAt: _at, ...entry }] = (await rest.call('GET', '/control-actions?action=retire_workflow'))
      .body;
    const detail = { app: 'shop', workflow: 'ship' };
    expect(entry).toEqual({ action: 'retire_workflow', actor: 'a secret key', detail });
    expect(await run('workflows', 'restore', 'shop', 'gone')).toMatchObject({
      code: 1,
      err: expect.stringContaining('workflow gone is not registered in app shop'),
    });
  });
});

describe('holdfast events send', () => {
  it('sends an event, and names what it started', async () => {
    const { code, out } = await run(
      'events',
      'send',
      'order.paid',
      '--data',
      '{"total":1e400}',
      '--tag',
      'a=b',
      '--tag',
      'c=d=e',
    );
    expect(code).toBe(0);
    const [, eventId, runId] = /^event (\S+), woke 0 runs\n\nAPP +WORKFLOW +RUN\nshop +ship +(\S+)\n$/.exec(out) ?? [];
    const event = await rest.call('GET', `/events/${eventId}`);
    expect(event.text).toContain('"data":{"total":1e400}');
    expect(event.body).toMatchObject({ name: 'order.paid', tags: { a: 'b', c: 'd=e' } });
    expect((await run('runs', 'get', runId ?? '', '--json')).out).toContain('"input":{"total":1e400}');
  });

  it('says where nothing was started, and why', async () => {
    expect((await run('events', 'send', 'nobody.cares')).out).toMatch(/^event \S+, woke 0 runs, started none\n$/);
    const send = ['events', 'send', 'order.once', '--dedupe-id', 'once', '--session', 's', '--app', 'web'];
    expect(await runJson(...send)).toMatchObject({ triggered: [{ workflow: 'ship' }] });
    expect((await run(...send)).out).toContain('deduped');
  });

  it('delays what it starts', async () => {
    const startAt = new Date(Date.now() + 3_600_000).toISOString();
    const { runId } = (await runJson('events', 'send', 'order.later', '--start-at', startAt)) as { runId: string };
    expect((await rest.call('GET', `/runs/${runId}`)).body).toMatchObject({ status: 'queued', startAt });
    expect((await run('events', 'send', 'order.later', '--delay', 'soon')).err).toContain(
      '--delay: must be a time like',
    );
  });
});

describe('holdfast trigger', () => {
  it('starts a run, and prints its id', async () => {
    await rest.engine.db.query({
      text: `insert into runner (id, project_id, app, runner_id, transport, url, workflows, connection_id)
             values (gen_random_uuid(), $1, 'shop', 'r', 'http', 'http://127.0.0.1:1', '{bill,ship}', gen_random_uuid())`,
      values: [rest.projectId],
    });
    await rest.engine.db.query({
      text: 'update project set registry_version = registry_version + 1 where id = $1',
      values: [rest.projectId],
    });
    const { code, out, err } = await run(
      'trigger',
      'shop',
      'bill',
      '--input',
      '{"n":12345678901234567890}',
      '--tag',
      'a=b',
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const shown = await rest.call('GET', `/runs/${out.trim()}`);
    expect(shown.text).toContain('"input":{"n":12345678901234567890}');
    expect(shown.body).toMatchObject({ workflow: 'bill', tags: { a: 'b' } });
    const { out: later } = await run('trigger', 'shop', 'bill', '--delay', '10m', '--ttl', '1h');
    const { body: delayed } = await rest.call('GET', `/runs/${later.trim()}`);
    expect(Date.parse(delayed.expiresAt) - Date.parse(delayed.startAt)).toBe(3_600_000);
    const again = ['trigger', 'shop', 'bill', '--dedupe-id', 'x'];
    expect(await runJson(...again)).toMatchObject({ workflow: 'bill' });
    expect((await run(...again)).out).toBe('no run was started: deduped\n');
  });
});

describe('holdfast runs', () => {
  it('list shows a page of runs by filters, and where the next one begins', async () => {
    for (const [n, status] of (['succeeded', 'failed', 'succeeded'] as const).entries()) {
      await insertRun(rest.engine, rest.projectId, { app: 'a', workflow: `w${n}`, status, session: 'listed' });
    }
    const { code, out, err } = await run('runs', 'list', '--session', 'listed', '--limit', '2', '--since', '1h');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ID +STATUS +APP +WORKFLOW +CREATED +TOOK\n\S+ +succeeded +a +w2 .*\n\S+ +failed +a +w1 .*\n$/,
    );
    const [, cursor = ''] = /more runs: add --cursor (\S+)\n$/.exec(err) ?? [];
    expect(await runJson('runs', 'list', '--session', 'listed', '--limit', '2', '--cursor', cursor)).toMatchObject([
      { workflow: 'w0' },
    ]);
    expect(await runJson('runs', 'list', '--status', 'failed', '--app', 'a')).toMatchObject([{ workflow: 'w1' }]);
    expect(await runJson('runs', 'list', '--tag', 'a=b')).toHaveLength(2);
  });

  it('get shows a run and its steps; what would steer the terminal is not shown', async () => {
    const id = await insertRun(rest.engine, rest.projectId, {
      app: 'a',
      workflow: 'w\u001b[2J',
      status: 'failed',
      error: '{"name":"TypeError","message":"no\\u001b total"}',
      input: '{"n":1e400}',
    });
    await insertStep(rest.engine, id, { index: 0, status: 'failed', error: '{"message":"broken"}' });
    const { code, out } = await run('runs', 'get', id);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^${id}\n\n  app +a\n  workflow +w\\?\\[2J\n  status +failed\n`));
    expect(out).toContain('TypeError: no? total');
    expect(out).toContain('{"n":1e400}');
    expect(out).toMatch(/\nSTEP +ATTEMPT +STATUS +TOOK +ERROR\nstep 0 +1 +failed .* broken\n$/);
    const json = await run('runs', 'get', id, '--json');
    expect(json.out).toContain('"input":{"n":1e400}');
    expect(JSON.parse(json.out)).toMatchObject({ id, status: 'failed', steps: [{ index: 0, status: 'failed' }] });
  });

  it('cancel and replay', async () => {
    const { runId } = (await runJson('trigger', 'shop', 'bill')) as { runId: string };
    expect(await run('runs', 'cancel', runId)).toEqual({ code: 0, out: `${runId} is cancelled\n`, err: '' });
    expect(await run('runs', 'cancel', runId)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^holdfast: /),
    });
    const { out } = await run('runs', 'replay', runId, '--input', '{"again":1}');
    expect(await runJson('runs', 'get', out.trim())).toMatchObject({ replayOf: runId, input: { again: 1 } });
  });

  it('tail follows a run to its end', async () => {
    const id = await insertRun(rest.engine, rest.projectId, { status: 'succeeded' });
    const frames = [
      ['run_status', '{"status":"running"}'],
      ['log', '{"level":"info","message":"hello","fields":{"n":1},"scope":"a","attempt":1}'],
      [
        'step_status',
        '{"step":"pay","index":0,"attempt":2,"status":"failed","error":{"name":"Error","message":"declined"}}',
      ],
      ['run_status', '{"status":"succeeded"}'],
    ] as const;
    for (const [n, [kind, payload]] of frames.entries())
      await insertFrame(rest.engine, id, { seq: n + 1, kind, payload });
    const { code, out, err } = await run('runs', 'tail', id);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d\.\d{3} {2}/, ''))).toEqual([
      'run  running',
      'info  hello  {"n":1}',
      'step  pay  failed  attempt 2  Error: declined',
      'run  succeeded',
    ]);
    const json = await run('runs', 'tail', id, '--json', '--limit', '2');
    expect(
      json.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ seq: 1 }, { seq: 2, message: 'hello' }]);
  });

  it('tail without a run follows the status of all of them, and events tail the events', async () => {
    const runs = run('runs', 'tail', '--limit', '1');
    const events = run('events', 'tail', '--limit', '1', '--name', 'order.seen');
    const send = async (): Promise<boolean> => {
      await rest.call('POST', '/events', { name: 'order.seen' });
      return Promise.race([
        Promise.all([runs, events]).then(() => true),
        new Promise<false>((r) => setImmediate(() => r(false))),
      ]);
    };
    await vi.waitUntil(send, { timeout: 20_000, interval: 200 });
    expect((await runs).out).toMatch(/^\S+ {2}\S+ {2}shop {2}ship {2}queued\n$/);
    expect((await events).out).toMatch(/^\S+ {2}\S+ {2}default {2}order\.seen {2}1 workflow\n$/);
  });
});

describe('a stream that breaks off', () => {
  it('is followed again from its last event on', async () => {
    const seen: (string | undefined)[] = [];
    const frames = [1, 2, 3].map((seq) => ({
      id: seq,
      data: JSON.stringify({
        kind: 'run_status',
        seq,
        ts: '2026-01-01T00:00:00.000Z',
        status: seq === 3 ? 'succeeded' : 'running',
      }),
    }));
    const answers = [frames.slice(0, 1), 'refuse', frames.slice(1)] as const;
    const service = await serve((request, response) => {
      const answer = answers[seen.length];
      seen.push(String(request.headers['last-event-id']));
      if (answer === 'refuse') return void response.writeHead(503).end('{"error":"the service is stopping"}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const { id, data } of answer ?? []) response.write(`:\n\nid: ${id}\nevent: run_status\ndata: ${data}\n\n`);
      setImmediate(() => response.destroy());
    });
    const { code, out, err } = await cli({ HOLDFAST_URL: service.url, HOLDFAST_API_KEY: 'k' }, 'runs', 'tail', 'x');
    service.close();
    expect(code).toBe(0);
    expect(out).toBe('00:00:00.000  run  running\n00:00:00.000  run  running\n00:00:00.000  run  succeeded\n');
    expect(seen).toEqual(['undefined', '1', '1']);
    expect(err).toBe('holdfast: connection lost: reconnecting when the service answers\n');
  });
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

describe('the service that is asked', () => {
  const keep = async (name: string, baseUrl: string): Promise<string> => {
    const dataDir = await mkdtemp(join(folder, name));
    const keys = {
      baseUrl,
      operatorKey: 'o',
      projectId: rest.projectId,
      secretKey: rest.keys.secret,
      publicKey: rest.keys.public,
    };
    await writeFile(join(dataDir, 'keys.json'), JSON.stringify(keys));
    return dataDir;
  };

  it('is that of keys.json, unless the environment names another', async () => {
    const env = { DATA_DIR: await keep('kept', rest.url) };
    expect(await cli(env, 'workflows')).toMatchObject({ code: 0, err: '' });
    expect(await cli({ ...env, HOLDFAST_URL: `${rest.url}/` }, 'workflows')).toMatchObject({ code: 0 });
    expect(await cli({ ...env, HOLDFAST_API_KEY: rest.keys.public }, 'trigger', 'shop', 'bill')).toMatchObject({
      code: 1,
      err: expect.stringContaining('secret'),
    });
    expect(await cli({ ...env, HOLDFAST_URL: 'http://elsewhere.example' }, 'workflows')).toMatchObject({
      code: 1,
      err: expect.stringContaining('set HOLDFAST_API_KEY for http://elsewhere.example'),
    });
    expect(await cli({ ...envOf(rest.keys.public), NODE_ENV: 'production' }, 'workflows')).toMatchObject({ code: 0 });
  });

  it('is not there', async () => {
    expect(await cli({ DATA_DIR: folder }, 'workflows')).toEqual({
      code: 1,
      out: '',
      err: `holdfast: there is no keys.json in ${folder}: start the service with "npm start", or set HOLDFAST_URL and HOLDFAST_API_KEY\n`,
    });
    const gone = await serve(() => undefined);
    gone.close();
    const env = { DATA_DIR: await keep('gone', gone.url) };
    for (const command of [['workflows'], ['events', 'tail'], ['runs', 'cancel', 'x']]) {
      expect(await cli(env, ...command)).toEqual({
        code: 1,
        out: '',
        err: `holdfast: no service answers at ${gone.url} (ECONNREFUSED): start it with "npm start", or set HOLDFAST_URL and HOLDFAST_API_KEY\n`,
      });
    }
  });

  it('is not Holdfast', async () => {
    for (const [status, message] of [
      [404, 'is not Holdfast (status 404)'],
      [200, 'the answer is not valid'],
    ] as const) {
      const other = await serve((_request, response) => void response.writeHead(status).end('<html>'));
      const result = await cli({ HOLDFAST_URL: other.url, HOLDFAST_API_KEY: 'k' }, 'workflows');
      other.close();
      expect(result).toMatchObject({ code: 1, err: expect.stringContaining(message) });
    }
  });
});

describe('an error is one line, with exit code 1', () => {
  it.each([
    [['runs', 'get', 'nothing'], 'run not found'],
    [['runs', 'tail', 'nothing'], 'run not found'],
    [['runs', 'replay', 'nothing'], 'run not found'],
    [['runs', 'list', '--status', 'done'], 'status must be'],
    [['runs', 'list', '--limit', 'many'], 'It must be a whole number of at least 1.'],
    [['runs', 'list', '--since', '5y'], '--since: must be a time like'],
    [['runs', 'list', '--since', 'yesterday'], 'since must be'],
    [['trigger', 'shop', 'nothing'], 'workflow nothing is not registered in app shop'],
    [['trigger', 'shop', 'bill', '--input', '{'], 'It must be JSON'],
    [['events', 'send'], 'give the name of an event, or --file'],
    [
      ['events', 'send', 'x', '--start-at', '2999-01-01T00:00:00Z', '--delay', '1h'],
      "option '--delay <time>' cannot be used with option '--start-at <time>'",
    ],
    [['events', 'send', 'x', '--tag', 'y'], 'It must be a key and a value'],
    [['runs', 'dance'], "unknown command 'dance'"],
  ])('%j', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('a wrong key', async () => {
    const { code, err } = await cli(envOf('hf_sk_wrong'), 'workflows');
    expect(code).toBe(1);
    expect(err).toMatch(/^holdfast: missing or unknown API key: check HOLDFAST_API_KEY, or keys\.json, against http/);
  });
});
