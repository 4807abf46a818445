import { describe, expect } from 'vitest';
import { Sign } from '../support/sign.ts';
import { it } from './site.ts';

describe('an end', () => {
  it('asked for by the service lets what is in flight finish, beside a new connection', async ({ site }) => {
    const { peer: first } = await site.connected();
    first.invoke('i1', 'hold');
    first.send({ type: 'drain' });
    first.invoke('too late', 'greet');
    const second = await site.service.peer(1);
    await site.change('ready', 2);
    second.invoke('i2', 'greet');
    await second.result('i2');
    expect(first.frames.map((frame) => frame.type)).toEqual(['hello']);
    site.release();
    await first.result('i1');
    expect((await first.closed).code).toBe(1000);
    second.invoke('i3', 'greet');
    await second.result('i3');
    expect(first.frames.filter((frame) => frame.type === 'result')).toHaveLength(1);
    expect(site.service.peers).toHaveLength(2);
    expect(site.changes.map(({ state }) => state)).toEqual(['connecting', 'ready', 'draining', 'connecting', 'ready']);
    expect(site.logged).toEqual([]);
  });

  it('asked for by the service keeps to maxInFlight passes over both connections', async ({ site }) => {
    const { first, second } = await site.withoutRoom();
    expect(second.frames.map((frame) => frame.type)).toEqual(['hello', 'pong']);
    site.release();
    await first.result('i1');
    await second.result('i2');
  });

  it('asked for by the service is no reason to give up where the old connection is then taken for replaced', async ({
    site,
  }) => {
    const { connection, peer: first } = await site.connected();
    first.invoke('i1', 'hold');
    first.send({ type: 'drain' });
    await site.change('ready', 2);
    first.close(4410, 'replaced by a newer connection of the same runner');
    await first.closed;
    const second = await site.service.peer(1);
    second.invoke('i2', 'greet');
    await second.result('i2');
    expect(connection.state).toBe('ready');
  });

  it.for([false, true])(
    'by close() waits for what a drained connection has, connected anew or not (%s)',
    async (isAnew, { site }) => {
      const { connection, peer } = await site.withOneInFlight();
      if (!isAnew) site.service.refuseWith = 503;
      peer.send({ type: 'drain' });
      await (isAnew ? site.change('ready', 2) : site.change('waiting'));
      const closed = connection.close();
      expect(connection.state).toBe('draining');
      site.release();
      await peer.result('i1');
      await closed;
      expect((await peer.closed).code).toBe(1000);
      expect(connection.state).toBe('closed');
    },
  );

  it('by close() is not held up by a pass that found no room beside a drained connection', async ({ site }) => {
    const { connection, first, second } = await site.withoutRoom();
    const closed = connection.close();
    expect(await second.drain()).toEqual({ type: 'drain', inFlight: [] });
    expect((await second.closed).code).toBe(1000);
    site.release();
    await first.result('i1');
    await closed;
  });

  it('by close() lets what is in flight finish, and does not connect again', async ({ site }) => {
    const { connection, peer } = await site.withOneInFlight();
    const closed = connection.close();
    expect(connection.state).toBe('draining');
    site.release();
    await peer.result('i1');
    await closed;
    expect(await connection.closed).toBeUndefined();
    expect(site.service.peers).toHaveLength(1);
  });

  it('by close() names to the service the passes that it still answers, and begins no more', async ({ site }) => {
    const started = new Sign();
    const begun: string[] = [];
    site.hf.workflow({ id: 'note' }, async ({ run, step }) =>
      step.run('a', () => {
        begun.push(run.id);
        started.give();
        return site.held;
      }),
    );
    const { connection, peer } = await site.connected({ maxInFlight: 1 });
    peer.invoke('i1', 'note');
    peer.invoke('i2', 'note');
    await started.given;
    peer.invoke('on its way', 'note');
    const closed = connection.close();
    expect(await peer.drain()).toEqual({ type: 'drain', inFlight: ['i1'] });
    peer.invoke('too late', 'note');
    site.release();
    await peer.result('i1');
    await closed;
    expect(begun).toEqual(['run of i1']);
    expect((await peer.closed).code).toBe(1000);
    expect(peer.frames.map((frame) => frame.type)).toEqual(['hello', 'drain', 'result']);
  });

  it('by close() says nothing that an older service would take for an error', async ({ site }) => {
    site.service.accepts = undefined;
    const { connection, peer } = await site.withOneInFlight();
    const closed = connection.close();
    site.release();
    await peer.result('i1');
    await closed;
    expect(peer.frames.map((frame) => frame.type)).toEqual(['hello', 'result', 'result']);
  });

  it('by an aborted signal is the same', async ({ site }) => {
    const abort = new AbortController();
    const connection = site.connect({ signal: abort.signal });
    await connection.ready;
    abort.abort();
    expect(await connection.closed).toBeUndefined();
  });

  it('comes at once while the connection is still being made, or waits to be made again', async ({ site }) => {
    site.service.isWelcoming = false;
    const greeting = site.connect();
    await (await site.service.peer(0)).hello();
    await greeting.close();
    await expect(greeting.ready).rejects.toThrow('closed before');
    await site.service.stop();
    site.changes.length = 0;
    const waiting = site.connect();
    await site.change('waiting');
    await waiting.close();
    expect(waiting.state).toBe('closed');
  });
});
