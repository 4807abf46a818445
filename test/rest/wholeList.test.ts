import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ListPage, writeWholeList } from '../../src/rest/serve/wholeList.ts';
import { type Asked, getText, sendAtOnce, startUnanswering, stopUnanswering } from '../http/pipelined.ts';

afterEach(stopUnanswering);

/** More than the system buffers for a connection. */
const large = 'x'.repeat(16 * 1024 * 1024);

const page = (row: string, next?: () => Promise<ListPage>): ListPage => ({
  rows: [row],
  next,
  release: () => undefined,
});

/** Sends a request. The test decides when the answer is read. */
async function ask(): Promise<{ asked: Asked; reader: Promise<[IncomingMessage]> }> {
  const server = await startUnanswering();
  const reader = once(get(server.url), 'response') as Promise<[IncomingMessage]>;
  return { asked: await server.next(), reader };
}

/** The event that Node emits when a connection has been idle too long. */
const passIdleTime = ({ request }: Asked): boolean => request.socket.emit('timeout');

describe('a list that is written page by page', () => {
  it('is read no further where its connection ends while it waits behind another answer', async () => {
    const server = await startUnanswering();
    const client = await sendAtOnce(
      server.url,
      ['/first', '/second'].map((path) => getText(path)),
    );
    await server.next();
    const { response } = await server.next();
    const next = vi.fn(async () => page('never asked for'));
    const written = writeWholeList(response, 200, page(large, next));
    client.destroy();
    await written;
    expect(next).not.toHaveBeenCalled();
  });

  it('is not broken off for a reader who has taken all of it while the next page is read', async () => {
    const { asked, reader } = await ask();
    let giveNext: (next: ListPage) => void = () => undefined;
    const next = new Promise<ListPage>((resolve) => {
      giveNext = resolve;
    });
    const written = writeWholeList(
      asked.response,
      200,
      page(large, () => next),
    );
    const [answer] = await reader;
    let taken = 0;
    answer.on('data', ({ length }: Buffer) => {
      taken += length;
    });
    await vi.waitFor(() => expect(taken).toBeGreaterThan(large.length));
    passIdleTime(asked);
    giveNext(page('last'));
    await Promise.all([written, once(answer, 'end')]);
    expect(answer.complete).toBe(true);
  });

  it('is broken off for a reader who takes nothing of it', async () => {
    const { asked, reader } = await ask();
    const written = writeWholeList(asked.response, 200, page(large));
    const [answer] = await reader;
    passIdleTime(asked);
    await written;
    await expect(answer.toArray()).rejects.toThrow('aborted');
  });
});
