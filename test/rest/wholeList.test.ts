import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ListPage, writeWholeList } from '../../src/rest/wholeList.ts';
import { getText, sendAtOnce, startUnanswering, stopUnanswering } from '../http/pipelined.ts';

afterEach(stopUnanswering);

/** More than the system holds for a connection. */
const large = 'x'.repeat(16 * 1024 * 1024);

const page = (row: string, next?: () => Promise<ListPage>): ListPage => ({
  rows: [row],
  next,
  release: () => undefined,
});

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
});
