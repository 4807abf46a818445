import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelRun } from '../../../../src/engine/control/index.ts';
import { registerRunner } from '../../../../src/engine/runners/index.ts';
import { TestHttpRunner } from '../kit/httpRunner.ts';
import { QuickSite } from './site.ts';

type Respond = (response: ServerResponse) => void;

let site: QuickSite;
let http: TestHttpRunner;
/**
 * What the runner does with the first invoke of a run, or with all, by the name that is the run's
 * input.
 */
const manners = new Map<string, { respond: Respond; always: boolean }>();

const fresh = '{"data":"fresh","logs":[]}';

beforeAll(async () => {
  site = await QuickSite.open({ invokeTimeoutMs: 2_000 });
  http = await TestHttpRunner.open();
  http.respond = ({ body }, response) => {
    const request = JSON.parse(body);
    const nth = site.count(request);
    const manner = manners.get(request.event.data);
    if (manner && (nth === 1 || manner.always)) manner.respond(response);
    else response.writeHead(200).end(fresh);
  };
  const registration = { app: 'http', runner: 'one', url: http.url, workflows: [{ name: 'odd' }] };
  await registerRunner(site.post.engine, { projectId: site.base.projectId, registration });
});
afterAll(async () => {
  expect(await site.findings()).toEqual([]);
  await http.close();
  await site.close();
});

/** Writes as fast as it is read, for as long as it is. */
function pour(response: ServerResponse): void {
  response.writeHead(200);
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

describe('an answer over HTTP, the first time', () => {
  it.each<[string, Respond]>([
    ['never', () => undefined],
    ['a closed connection', (response) => void response.destroy()],
    [
      'half of a body',
      (response) => {
        response.writeHead(200, { 'content-length': 100 }).write('{"data"');
        setImmediate(() => response.destroy());
      },
    ],
    ['a body that stops and goes on no more', (response) => void response.writeHead(200).write('{"data"')],
    ['headers that never end', (response) => void response.socket?.write('HTTP/1.1 200 OK\r\nX-A: b\r\n')],
    ['no HTTP at all', (response) => void response.socket?.end('hello\r\n\r\n')],
    [
      'a bomb of zeros, compressed',
      (response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * 1024 * 1024))),
    ],
    ['a body that is no JSON', (response) => void response.writeHead(200).end('<html>')],
    ['a body that is no UTF-8', (response) => void response.writeHead(200).end(Buffer.from([0x22, 0xc3, 0x28, 0x22]))],
    ['no body', (response) => void response.writeHead(200).end()],
    ['status 204', (response) => void response.writeHead(204).end()],
    ['a redirect', (response) => void response.writeHead(307, { location: http.url }).end()],
    ['status 101', (response) => void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n')],
  ])('%s: the pass is sent again', async (name, respond) => {
    manners.set(name, { respond, always: false });
    const runId = await site.start('http', 'odd', name);
    await site.expectEnd(runId, { status: 'succeeded', result: 'fresh' });
  });

  it('preceded by informational ones counts as it is', async () => {
    manners.set('hints', {
      always: true,
      respond: (response) => {
        response.writeProcessing();
        response.writeEarlyHints({ link: '</a>; rel=preload' });
        response.writeHead(200).end('{"data":"after hints","logs":[]}');
      },
    });
    const runId = await site.start('http', 'odd', 'hints');
    await site.expectEnd(runId, { status: 'succeeded', result: 'after hints' });
  });

  it.each<[string, Respond]>([
    ['without end', pour],
    ['announced as 1 GB', (response) => void response.writeHead(200, { 'content-length': 2 ** 30 }).write('x')],
  ])('%s fails the run with the limit', async (name, respond) => {
    manners.set(name, { respond, always: true });
    const runId = await site.start('http', 'odd', name);
    await site.expectEnd(runId, { status: 'failed', error: 'runner answer exceeds 1 MiB' });
  });

  it('of a cancelled run: the connection is closed', async () => {
    const hungUp = new Promise<void>((resolve) => {
      manners.set('cancelled', { always: true, respond: (response) => response.on('close', resolve) });
    });
    const runId = await site.start('http', 'odd', 'cancelled');
    await http.calls.next(({ body }) => body.includes(runId), 'the invoke');
    await cancelRun(site.post.engine, { projectId: site.base.projectId, runId, actor: 'test' });
    await hungUp;
    expect(await site.base.run(runId)).toMatchObject({ status: 'cancelled' });
  });
});
