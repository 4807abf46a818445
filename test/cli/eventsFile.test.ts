import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RestServer, startRest } from '../rest/restServer.ts';
import { insertWorkflows } from '../schema/fixtures.ts';
import { type CliResult, cli } from './cli.ts';

let rest: RestServer;
let folder: string;

beforeAll(async () => {
  rest = await startRest();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-events-'));
  await insertWorkflows(rest.engine, rest.projectId, [{ app: 'shop', name: 'ship' }]);
  const triggers = JSON.stringify([{ event: 'order.*' }]);
  await rest.engine.db.query({ text: `update workflow set triggers = $1 where name = 'ship'`, values: [triggers] });
});
afterAll(async () => {
  await rest.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]): Promise<CliResult> =>
  cli({ HOLDFAST_URL: rest.url, HOLDFAST_API_KEY: rest.keys.secret }, ...args);

async function fileOf(lines: readonly string[]): Promise<string> {
  const path = join(folder, 'events.jsonl');
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const named = async (name: string) => (await rest.call('GET', `/events?name=${name}&limit=1000`)).body;

describe('holdfast events send --file', () => {
  it('sends each line as an event, with its exact data, and sums up what followed', async () => {
    const lines = ['{"name":"order.paid","data":{"total":1e400},"dedupeId":"a"}', '', '{"name":"nobody.cares"}'];
    const path = await fileOf(lines);
    expect(await run('events', 'send', '--file', path)).toEqual({
      code: 0,
      err: '',
      out: 'sent 2 events, started 1 run, woke 0 runs\n',
    });
    const [{ id }] = await named('order.paid');
    expect((await rest.call('GET', `/events/${id}`)).text).toContain('"data":{"total":1e400}');
    const again = await run('events', 'send', '--file', path, '--json');
    expect(JSON.parse(again.out)).toEqual({ events: 2, repeats: 1, started: 0, woke: 0 });
  });

  it('divides a long file into calls by their number of events and by their size', async () => {
    const large = JSON.stringify({ name: 'large.one', data: 'x'.repeat(400_000) });
    const lines = [...Array.from({ length: 1_001 }, () => '{"name":"small.one"}'), large, large, large];
    expect((await run('events', 'send', '--file', await fileOf(lines))).out).toMatch(/^sent 1,?004 events, /);
    expect(await named('large.one')).toHaveLength(3);
  });

  it('stops at the first refused call, names its lines, and says what was sent before', async () => {
    const lines = [...Array.from({ length: 1_000 }, () => '{"name":"kept.one"}'), '{"name":"lost.one"}', '{"name":""}'];
    const { code, err } = await run('events', 'send', '--file', await fileOf(lines));
    expect(code).toBe(1);
    expect(err).toMatch(/events\.jsonl, lines 1001 to 1002: events\[1\].*; 1,?000 events before them were sent/);
    expect(await named('kept.one')).toHaveLength(1_000);
    expect(await named('lost.one')).toEqual([]);
  });

  it.each([
    [['{"name":"a"}', '{'], 'events.jsonl, line 2: no JSON'],
    [['[]'], 'events.jsonl, line 1: no JSON object'],
  ])('refuses %j', async (lines, message) => {
    const { code, err } = await run('events', 'send', '--file', await fileOf(lines));
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  it('refuses a file that is not there, a name beside it, and fields beside it', async () => {
    const path = join(folder, 'none.jsonl');
    expect((await run('events', 'send', '--file', path)).err).toContain('none.jsonl cannot be read: ENOENT');
    expect((await run('events', 'send', 'a', '--file', path)).err).toContain('give the name of an event, or --file');
    expect((await run('events', 'send', '--file', path, '--target-app', 'x')).err).toContain(
      "option '--file <path>' cannot be used with option '--target-app <app>'",
    );
  });
});
