import { expect, it } from 'vitest';
import type { EventData } from '../../src/engine/events/index.ts';
import { anySize } from '../../src/engine/paging/index.ts';
import { PayloadRoom } from '../../src/engine/payloadRoom.ts';
import { AnswerMeter } from '../../src/schema/loaders/answerMeter.ts';
import { byIds, PayloadLoader } from '../../src/schema/loaders/payloadLoader.ts';

const limit = 10_000_000;
const meter = (maxBytes = limit): AnswerMeter =>
  new AnswerMeter({
    room: new PayloadRoom({ maxBytes: limit, waitMs: 1000 }),
    reservedBytes: 1000,
    maxObjects: 1000,
    maxBytes,
  });

/** A loader of payloads of 20,000 bytes, and what its statements asked for. */
function recorded(maxBytes?: number) {
  const asked: { ids: readonly string[]; maxBytes: number }[] = [];
  const loader = new PayloadLoader(
    meter(maxBytes),
    byIds<'data', EventData>(['data'], async (ids, _wanted, maxBytes) => {
      asked.push({ ids, maxBytes });
      return ids.map((id, at) => {
        const isRead = (at + 1) * 20_000 <= maxBytes;
        return { id, bytes: 20_000, isRead, data: isRead ? `"${id}"` : null };
      });
    }),
  );
  return { loader, asked };
}

const ids = ['a', 'b', 'c', 'd', 'e'];

it('reads a payload once, however many a page has', async () => {
  const { loader, asked } = recorded();
  await loader.look(ids, { data: true });
  expect(await Promise.all(ids.map((id) => loader.load(id, 'data')))).toEqual(ids.map((id) => `"${id}"`));
  expect(asked).toEqual([
    { ids, maxBytes: 64 * 1024 },
    { ids: ['d', 'e'], maxBytes: anySize },
  ]);
});

it('gives the payloads of a page without a promise where the page has read them', async () => {
  const { loader, asked } = recorded();
  await loader.look(ids, { data: true });
  const values = ids.map((id) => loader.get(id, 'data'));
  expect(values.slice(0, 3)).toEqual(['"a"', '"b"', '"c"']);
  expect(await Promise.all(values.slice(3))).toEqual(['"d"', '"e"']);
  expect(asked.at(-1)).toEqual({ ids: ['d', 'e'], maxBytes: anySize });
});

it('counts the payloads that it gives, each once', async () => {
  const { loader } = recorded(40_000);
  await loader.look(ids, { data: true });
  for (const id of ['a', 'b', 'a', 'b']) expect(loader.get(id, 'data')).toBe(`"${id}"`);
  expect(() => loader.get('c', 'data')).toThrow('more than 40000 bytes');
});

it('reads small payloads by one statement', async () => {
  const { loader, asked } = recorded();
  expect(await Promise.all(['a', 'b'].map((id) => loader.load(id, 'data')))).toEqual(['"a"', '"b"']);
  expect(asked).toHaveLength(1);
});
