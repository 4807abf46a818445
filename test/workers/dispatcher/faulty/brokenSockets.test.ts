import { frameLimitBytes, type InvokeFrame } from '@holdfast/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelRun } from '../../../../src/engine/control/index.ts';
import type { SocketRunner } from '../kit/socketRunner.ts';
import { found, opcode } from './sayings.ts';
import { QuickSite } from './site.ts';

let site: QuickSite;
let apps = 0;

beforeAll(async () => {
  site = await QuickSite.open({ invokeTimeoutMs: 2_000 });
});
afterAll(async () => {
  expect(await site.findings()).toEqual([]);
  await site.close();
});

const answerTo = ({ id }: InvokeFrame, data: unknown) => ({
  type: 'result',
  id,
  status: 200,
  body: { data, logs: [] },
});
const fresh = { status: 'succeeded', result: 'fresh' } as const;

/** A scripted runner of an app of its own. */
async function connect(app: string, runner?: string): Promise<SocketRunner> {
  const made = site.base.connect(site.post);
  await made.ready({ app, workflows: [{ name: 'odd' }, { name: 'plain' }], ...(runner && { runner }) });
  return made;
}

/** A run that its runner has received. */
async function invoked(runner?: string) {
  const app = `app ${++apps}`;
  const socket = await connect(app, runner);
  const runId = await site.start(app, 'odd', {});
  return { app, socket, runId, invoke: await socket.next('invoke') };
}

/** The pass comes again, over this socket or another, and is answered. */
async function answerNext(socket: SocketRunner): Promise<void> {
  socket.send(answerTo(await socket.next('invoke'), 'fresh'));
}

describe('an answer over a socket', () => {
  it('that never arrives: the pass is sent again', async () => {
    const { socket, runId, invoke } = await invoked();
    expect(await socket.next('cancel')).toMatchObject({ id: invoke.id });
    await answerNext(socket);
    await site.expectEnd(runId, fresh);
  });

  it('that arrives after the pass was sent again is ignored', async () => {
    const { socket, runId, invoke } = await invoked();
    const again = await socket.next('invoke');
    socket.send(answerTo(invoke, 'late'));
    socket.send(answerTo(again, 'fresh'));
    await site.expectEnd(runId, fresh);
  });

  it.each([2, 10])('that arrives %i times counts once', async (times) => {
    const { socket, runId, invoke } = await invoked();
    const { status, body } = found(opcode('StepRun', 'a', { data: 1 }));
    for (let n = 0; n < times; n += 1) {
      socket.send({ type: 'result', id: invoke.id, status, body: JSON.parse(body) });
    }
    await answerNext(socket);
    await site.expectEnd(runId, fresh);
    expect(socket.frames.all.filter(({ type }) => type === 'invoke')).toHaveLength(2);
    expect(await site.base.engine.db.prisma.runStep.count({ where: { runId } })).toBe(1);
  });

  it('may arrive in any order', async () => {
    const { app, socket, runId, invoke } = await invoked();
    const others = await Promise.all(Array.from({ length: 9 }, () => site.start(app, 'odd', {})));
    const invokes = [invoke];
    for (const _ of others) invokes.push(await socket.next('invoke'));
    for (const frame of invokes.reverse()) socket.send(answerTo(frame, frame.request.ctx.runId));
    for (const id of [runId, ...others]) await site.expectEnd(id, { status: 'succeeded', result: id });
  });

  it('for a pass that was never sent is ignored', async () => {
    const { socket, runId, invoke } = await invoked();
    socket.send(answerTo({ ...invoke, id: 'nobody' }, 'stolen'));
    socket.send(answerTo({ ...invoke, id: `${invoke.id}0` }, 'stolen'));
    socket.send(answerTo(invoke, 'fresh'));
    await site.expectEnd(runId, fresh);
  });

  it('for a pass whose run was cancelled is ignored, and frees its slot', async () => {
    const { app, socket, runId, invoke } = await invoked();
    await cancelRun(site.post.engine, { projectId: site.base.projectId, runId, actor: 'test' });
    expect(await socket.next('cancel')).toMatchObject({ id: invoke.id });
    socket.send(answerTo(invoke, 'late'));
    const next = await site.start(app, 'odd', {});
    await answerNext(socket);
    await site.expectEnd(next, fresh);
    expect(await site.base.run(runId)).toMatchObject({ status: 'cancelled', result: null });
  });

  it('over another socket, after a reconnect, is ignored', async () => {
    const { app, socket, runId, invoke } = await invoked('same');
    const next = await connect(app, 'same');
    expect(await socket.closed).toMatchObject({ code: 4410 });
    next.send(answerTo(invoke, 'stale'));
    await answerNext(next);
    await site.expectEnd(runId, fresh);
  });

  it('of status 100 is not an answer', async () => {
    const { socket, runId, invoke } = await invoked();
    socket.answer(invoke, 100, {});
    await answerNext(socket);
    await site.expectEnd(runId, fresh);
  });
});

describe('a socket on which a runner sends', () => {
  const frameOf = ({ id }: InvokeFrame, body: string, status = '200') =>
    `{"type":"result","id":"${id}","status":${status},"body":${body}}`;

  it.each<[string, (invoke: InvokeFrame) => string | Buffer, number]>([
    ['half a frame', (invoke) => frameOf(invoke, '{"data":1}').slice(0, -3), 4400],
    ['a body that is no JSON', (invoke) => frameOf(invoke, '<html>'), 4400],
    ['a status that is a text', (invoke) => frameOf(invoke, '{"data":1}', '"200"'), 4400],
    ['status NaN', (invoke) => frameOf(invoke, '{"data":1}', 'NaN'), 4400],
    ['a frame of another type', (invoke) => frameOf(invoke, '1').replace('result', 'results'), 4400],
    ['a second hello', () => '{"type":"hello","app":"x","workflows":[]}', 4400],
    ['bytes', (invoke) => Buffer.from(frameOf(invoke, '{"data":1}')), 4400],
    ['more than a frame may hold', (invoke) => frameOf(invoke, `"${'x'.repeat(frameLimitBytes)}"`), 4413],
  ])('%s is closed with its code, and its passes go elsewhere', async (_, frame, code) => {
    const { app, socket, runId, invoke } = await invoked();
    socket.ws.send(frame(invoke));
    expect(await socket.closed).toMatchObject({ code });
    await answerNext(await connect(app));
    await site.expectEnd(runId, fresh);
  });

  it('nothing more, in the middle of a frame, loses no pass', async () => {
    const { app, socket, runId, invoke } = await invoked();
    const text = JSON.stringify(answerTo(invoke, 'torn'));
    socket.ws.send(text.slice(0, 20), { fin: false });
    socket.vanish();
    await answerNext(await connect(app));
    await site.expectEnd(runId, fresh);
  });
});
