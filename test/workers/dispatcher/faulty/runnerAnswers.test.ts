import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerRunner } from '../../../../src/engine/runners/index.ts';
import { TestHttpRunner } from '../kit/httpRunner.ts';
import { done, type Said, type Saying, sayings } from './sayings.ts';
import { QuickSite } from './site.ts';
import { stepSayings } from './stepSayings.ts';

const all: readonly Saying[] = [...sayings, ...stepSayings];
const workflows = [{ name: 'odd' }, { name: 'plain' }];
const innocents = 20;

let site: QuickSite;
let http: TestHttpRunner;
/** Runs by app and by the saying of their runner, and runs without a fault. */
const runs = new Map<string, string>();
const plain: string[] = [];

/** The runner's answer to a pass, chosen by the run's input. */
function reply(request: InvokeRequest): Said {
  const nth = site.count(request);
  const data = request.event.data as { saying?: number };
  const saying = data.saying === undefined ? undefined : all[data.saying];
  return saying ? saying.say(request, nth) : done('plain');
}

async function connectSocketRunner(): Promise<void> {
  const runner = site.base.connect(site.post);
  runner.ws.on('message', (data) => {
    const frame = JSON.parse(String(data));
    if (frame.type !== 'invoke') return;
    const { status, body } = reply(frame.request);
    runner.sendText(`{"type":"result","id":${JSON.stringify(frame.id)},"status":${status},"body":${body}}`);
  });
  await runner.ready({ app: 'socket', runner: 'one', workflows });
}

async function openHttpRunner(): Promise<void> {
  http = await TestHttpRunner.open();
  http.respond = ({ body }, response) => {
    const said = reply(JSON.parse(body));
    response.writeHead(said.status, { 'content-type': 'application/json' }).end(said.body);
  };
  const { engine } = site.post;
  const registration = { app: 'http', runner: 'one', url: http.url, workflows };
  await registerRunner(engine, { projectId: site.base.projectId, registration });
}

beforeAll(async () => {
  site = await QuickSite.open();
  await connectSocketRunner();
  await openHttpRunner();
  for (const app of ['socket', 'http']) {
    for (const position of all.keys()) {
      runs.set(`${app} ${position}`, await site.start(app, 'odd', { saying: position }));
      if (position % Math.ceil(all.length / innocents) === 0) plain.push(await site.start(app, 'plain', {}));
    }
  }
});
afterAll(async () => {
  await http.close();
  await site.close();
});

describe.each(['socket', 'http'])('a runner over %s that says', (app) => {
  it.each(all.map((saying, position) => ({ ...saying, position })))('$name', async ({ position, end }) => {
    await site.expectEnd(runs.get(`${app} ${position}`) ?? '', end);
  });
});

it('does not affect other runs, and the doctor finds no violation', async () => {
  for (const runId of plain) await site.expectEnd(runId, { status: 'succeeded', result: 'plain' });
  expect(site.post.dispatcher.stats()).toMatchObject({ held: 0, invoked: 0 });
  expect(await site.findings()).toEqual([]);
});
