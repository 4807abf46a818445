import { describe, expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import { invokeOf, ServiceDouble } from '../support/serviceDouble.ts';
import { Sign } from '../support/sign.ts';
import { it } from './site.ts';

describe('a lost connection', () => {
  it('is made again, and drops what was computed meanwhile', async ({ site }) => {
    const { peer: first } = await site.connected();
    first.invoke('i1', 'hold');
    first.invoke('i2', 'greet');
    await first.result('i2');
    first.terminate();
    const second = await site.service.peer(1);
    await site.change('ready', 2);
    site.release();
    second.invoke('i3', 'hold');
    await second.result('i3');
    expect(second.frames.map((frame) => frame.type)).toEqual(['hello', 'result']);
    expect(site.changes.map(({ state }) => state)).toEqual(['connecting', 'ready', 'waiting', 'connecting', 'ready']);
  });

  it('aborts the signals of the running bodies', async ({ site }) => {
    const aborted = new Sign();
    const started = new Sign();
    site.hf.workflow({ id: 'long' }, async ({ step }) =>
      step.run('a', ({ signal }) => {
        signal.addEventListener('abort', aborted.give);
        started.give();
        return site.held;
      }),
    );
    const { peer } = await site.connected();
    peer.invoke('i1', 'long');
    await started.given;
    peer.terminate();
    await aborted.given;
  });

  it.for([1011, 1012, 4408, 4413])('is made again after close code %i', async (code, { site }) => {
    await site.connect().ready;
    (await site.service.peer(0)).close(code);
    await site.change('ready', 2);
  });

  it('is made again when the service was not there at first', async ({ site }) => {
    const { port } = site.service;
    await site.service.stop();
    const connection = site.connect();
    await site.change('waiting', 2);
    site.service = await ServiceDouble.start(port);
    await connection.ready;
    expect(site.logged.join('\n')).toMatch(/not connected .*ECONNREFUSED.*retrying in \d+ ms/);
  });

  it('is made again while a proxy answers 502', async ({ site }) => {
    site.service.refuseWith = 502;
    const connection = site.connect();
    await site.change('waiting', 1);
    site.service.refuseWith = undefined;
    await connection.ready;
  });

  it('is noticed when the service falls silent', async ({ site }) => {
    site.service.heartbeatMs = 10;
    await site.connect().ready;
    await site.change('ready', 2);
    expect((await (await site.service.peer(0)).closed).code).toBe(1006);
  });

  it('is not given up for a frame that takes longer to arrive than the service may be silent', async ({ site }) => {
    site.service.heartbeatMs = 100;
    const { peer } = await site.connected();
    const event = { name: 'greet', data: 'x'.repeat(30_000) };
    await peer.trickle(invokeOf('i1', 'greet', { event }), 1_200);
    expect(await peer.result('i1')).toMatchObject({ status: 206 });
    expect(site.service.peers).toHaveLength(1);
  });

  it.for(['ping', 'message'])(
    'lives as long as a %s comes, where the runtime does not show its connection',
    async (kind, { site }) => {
      const emit = WebSocket.prototype.emit;
      const spy = vi.spyOn(WebSocket.prototype, 'emit').mockImplementation(function (this: WebSocket, name, ...values) {
        return name !== 'upgrade' && emit.call(this, name, ...values);
      });
      site.service.heartbeatMs = 100;
      await site.connect().ready;
      spy.mockRestore();
      const peer = await site.service.peer(0);
      await peer.beat(kind === 'ping' ? () => peer.ping() : () => peer.send({ type: 'ping' }), 1_200);
      peer.invoke('i1', 'greet');
      expect(await peer.result('i1')).toMatchObject({ status: 206 });
      expect(site.service.peers).toHaveLength(1);
    },
  );

  it('is given up on when a frame is no frame', async ({ site }) => {
    const { peer } = await site.connected();
    peer.send('{"type":"invoke","id":7}');
    expect((await peer.closed).code).toBe(4400);
  });
});
