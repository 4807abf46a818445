import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limitsWith } from '../support/settings.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { type Answered, type RestServer, startRest } from './restServer.ts';
import { openStream, type SseReader } from './sseReader.ts';

let rest: RestServer;
const sockets: Socket[] = [];
const readers: SseReader[] = [];

beforeAll(async () => {
  const limits = limitsWith({ requestsPerKey: 2, streamsPerKey: 3 });
  rest = await startRest({ settings: { limits, answerWaitMs: 20 } });
  await registerWorkflows(rest.engine, rest.projectId, [{ name: 'flow' }]);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const reader of readers.splice(0)) reader.leave();
  await expect.poll(async () => (await ask()).status).toBe(200);
});
afterAll(() => rest.close());

const ask = (key = rest.keys.secret): Promise<Answered> => rest.call('GET', '/runs?limit=1', undefined, { key });
const refusal = { status: 503, body: { error: 'too many requests with this key are under way: retry' } };

/** A request whose body never arrives. */
function unfinished(): void {
  const socket = connect(Number(new URL(rest.url).port), '127.0.0.1');
  const authorization = `Authorization: Bearer ${rest.keys.secret}`;
  socket.write(`POST /events HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Length: 10\r\n\r\n{`);
  sockets.push(socket);
}

describe('one key', () => {
  it('has so many requests under way, and others answer 503 with Retry-After after a wait', async () => {
    unfinished();
    unfinished();
    await expect.poll(ask).toMatchObject(refusal);
    expect((await ask()).headers.get('retry-after')).toBe('1');
    expect((await ask(rest.keys.public)).status).toBe(200);
  });

  it('has streams and long polls beside its requests, with one count for both', async () => {
    const { runId } = (await rest.call('POST', '/workflows/default/flow/trigger')).body;
    const long = (waitMs: number) => rest.call('GET', `/runs/${runId}?wait=${waitMs}`);
    const headers = { authorization: `Bearer ${rest.keys.secret}` };
    for (let n = 0; n < 2; n++) readers.push(await openStream(`${rest.url}/events/stream`, headers));
    const waiting = long(1_000);
    const refused = { status: 400, body: { error: 'at most 3 sockets and streams may be open with one key' } };
    await expect.poll(() => long(1)).toMatchObject(refused);
    expect((await ask()).status).toBe(200);
    rest.engine.bus.emit('service.stopping', {});
    expect((await waiting).status).toBe(200);
  });
});
