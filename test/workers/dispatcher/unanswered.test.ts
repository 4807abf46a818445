import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerRunner } from '../../../src/engine/runners/index.ts';
import { Arrivals } from './kit/arrivals.ts';
import { TestHttpRunner } from './kit/httpRunner.ts';
import { type Post, Site } from './kit/site.ts';

let site: Site;
let post: Post;
const lines = new Arrivals<Record<string, unknown>>();
const levels = { info: 30, warn: 40 };

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => lines.add(JSON.parse(line)) });
  // A run is tried again long after its test.
  site = await Site.open({ log, settings: { transportBackoffMs: 600_000 } });
  post = await site.startDispatcher();
});
afterAll(() => site.close());

const msg = 'invoke unanswered';
const told = (runId: string) => lines.next((line) => line['runId'] === runId && line['msg'] === msg, msg);

describe('an unanswered invoke', () => {
  it('after the loss of its socket is logged as info, and the pass goes elsewhere at once', async () => {
    const runner = site.connect(post);
    await runner.ready({ runner: 'worker' });
    const runId = await site.trigger(post.engine);
    await runner.next('invoke');
    runner.vanish();
    const reason = 'the connection to the runner was lost';
    expect(await told(runId)).toMatchObject({ level: levels.info, app: 'shop', workflow: 'order', reason });
  });

  it('over HTTP is logged once, with the reason, the run, the runner and its origin', async () => {
    const runner = await TestHttpRunner.open();
    runner.respond = (_, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"data":null}'));
    const registration = {
      app: 'shop',
      runner: 'web',
      url: `${runner.url}?token=hidden`,
      workflows: [{ name: 'order' }],
    };
    await registerRunner(post.engine, { projectId: site.projectId, registration });
    const { origin } = new URL(runner.url);
    const unread = await site.trigger(post.engine);
    expect(await told(unread)).toMatchObject({
      level: levels.warn,
      projectId: site.projectId,
      app: 'shop',
      workflow: 'order',
      runner: 'web',
      origin,
      reason: 'the runner answered with content-encoding gzip',
    });
    await runner.close();
    const refused = await site.trigger(post.engine);
    expect(await told(refused)).toMatchObject({ runner: 'web', origin, reason: expect.stringContaining('ECONN') });
    for (const runId of [unread, refused]) expect(lines.all.filter((line) => line['runId'] === runId)).toHaveLength(1);
    expect(JSON.stringify(lines.all)).not.toContain('hidden');
  });
});
