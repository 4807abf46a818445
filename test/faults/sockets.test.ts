import type { InvokeFrame } from '@holdfast/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { found, opcode } from '../workers/dispatcher/faulty/sayings.ts';
import { QuickSite } from '../workers/dispatcher/faulty/site.ts';
import type { SocketRunner } from '../workers/dispatcher/kit/socketRunner.ts';
import { times } from './kit/scale.ts';

const app = 'crowd';
const workflows = [{ name: 'work' }];
const longWait = { timeout: 20_000 };

let site: QuickSite;
/** Bodies of the step that were entered, by run. */
let entered: Map<string, number>;
beforeEach(async () => {
  site = await QuickSite.open();
  entered = new Map();
});
afterEach(() => site.close());

/** Executes one step, and then ends. */
function work(socket: SocketRunner, { id, request }: InvokeFrame): void {
  const { runId } = request.ctx;
  if (Object.keys(request.steps).length > 0) {
    socket.answer({ id }, 200, { data: 'done', logs: [] });
    return;
  }
  entered.set(runId, (entered.get(runId) ?? 0) + 1);
  const { status, body } = found(opcode('StepRun', 'a', { data: 1 }));
  socket.send({ type: 'result', id, status, body: JSON.parse(body) });
}

function connect(onInvoke: (socket: SocketRunner, frame: InvokeFrame) => void = work): SocketRunner {
  const socket = site.base.connect(site.post);
  socket.ws.on('message', (data) => {
    const frame = JSON.parse(String(data));
    if (frame.type === 'invoke' && socket.ws.readyState === socket.ws.OPEN) onInvoke(socket, frame);
  });
  return socket;
}

async function crowd(count: number, onInvoke?: (socket: SocketRunner, frame: InvokeFrame) => void) {
  const sockets = Array.from({ length: count }, () => connect(onInvoke));
  await Promise.all(sockets.map((socket, n) => socket.ready({ app, runner: `r${n}`, workflows })));
  return sockets;
}

const start = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => site.start(app, 'work', {})));

/**
 * All runs end well, and no step was executed more often than once and once for each time that its
 * socket went.
 */
async function expectAllDone(runIds: readonly string[], losses: number): Promise<void> {
  for (const runId of runIds) await site.expectEnd(runId, { status: 'succeeded', result: 'done' });
  for (const runId of runIds) expect(entered.get(runId)).toBeLessThanOrEqual(1 + losses);
  await vi.waitFor(() => expect(site.post.dispatcher.stats()).toMatchObject({ held: 0 }), longWait);
  expect(await site.findings()).toEqual([]);
}

describe('runners', () => {
  it('by the hundred that drop with their passes in hand and come back at once lose none', async () => {
    const count = 200 * times(1);
    const idle = await crowd(count, () => undefined);
    const runIds = await start(count);
    await vi.waitFor(() => expect(site.post.dispatcher.stats().invoked).toBe(count), longWait);
    for (const socket of idle) socket.vanish();
    await crowd(count);
    await expectAllDone(runIds, 1);
    await vi.waitFor(
      () => expect(site.post.dispatcher.stats()).toMatchObject({ sockets: count, ready: count }),
      longWait,
    );
  }, 120_000);

  it('that flap all the time keep no run from its end, while one stays', async () => {
    const [, ...flapping] = await crowd(6);
    let isOver = false;
    let drops = 0;
    const flap = async (socket: SocketRunner, n: number): Promise<void> => {
      for (let current = socket; !isOver; drops += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        current.vanish();
        current = connect();
        await current.ready({ app, runner: `r${n + 1}`, workflows });
      }
    };
    const flaps = flapping.map(flap);
    const runIds: string[] = [];
    for (let n = 0; n < 10; n += 1) runIds.push(...(await start(10)));
    for (const runId of runIds) await site.ended(runId);
    isOver = true;
    await Promise.all(flaps);
    expect(drops).toBeGreaterThan(5);
    await expectAllDone(runIds, drops);
  }, 120_000);

  it('that share one id take each other’s place, and every run ends', async () => {
    const take = async (): Promise<void> => void (await connect().ready({ app, runner: 'same', workflows }));
    await take();
    const runIds = await start(20);
    for (let n = 0; n < 9; n += 1) await take();
    await expectAllDone(runIds, 10);
    await vi.waitFor(() => expect(site.post.dispatcher.stats()).toMatchObject({ sockets: 1, ready: 1 }), longWait);
  }, 120_000);

  it('that die in the middle of a frame leave their passes to others', async () => {
    const torn = await crowd(20, (socket, { id }) => {
      socket.ws.send(`{"type":"result","id":"${id}","status":200,"bo`, { fin: false });
      socket.vanish();
    });
    const runIds = await start(40);
    await Promise.all(torn.map((socket) => socket.closed));
    await crowd(5);
    await expectAllDone(runIds, 20);
  }, 120_000);

  it('that read nothing are given a bounded amount; what they hold goes to others once they are cut off', async () => {
    const blob = 'x'.repeat(256 * 1024);
    const [slow] = await crowd(1, () => undefined);
    slow?.ws.pause();
    const runIds = await Promise.all(Array.from({ length: 60 }, () => site.start(app, 'work', { blob })));
    await vi.waitFor(() => expect(site.post.dispatcher.stats().invoked).toBeGreaterThan(0), longWait);
    // What is not given to it stays for whoever comes.
    const [quick] = [connect()];
    await quick.ready({ app, runner: 'quick', workflows });
    await vi.waitFor(
      async () => {
        const where = { id: { in: runIds }, status: 'succeeded' };
        expect(await site.base.engine.db.prisma.run.count({ where })).toBeGreaterThan(20);
      },
      { timeout: 20_000 },
    );
    expect(site.post.dispatcher.stats().invoked).toBeLessThan(60);
    slow?.vanish();
    await expectAllDone(runIds, 1);
  }, 120_000);
});
