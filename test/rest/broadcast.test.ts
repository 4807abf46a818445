import { afterEach, expect, test } from 'vitest';
import { Broadcasts } from '../../src/rest/streams/broadcast.ts';
import type { StreamMessage, StreamSource } from '../../src/rest/streams/streamSource.ts';
import { closeEventStreams, openEventStream } from '../http/openEventStream.ts';

afterEach(closeEventStreams);

/** A source whose events the test sends. */
class ScriptedSource implements StreamSource {
  readonly #waiting: ((result: IteratorResult<StreamMessage, undefined> | Promise<never>) => void)[] = [];
  isOver = false;

  next(): Promise<IteratorResult<StreamMessage, undefined>> {
    if (this.isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<void> {
    this.isOver = true;
    this.#waiting.shift()?.({ done: true, value: undefined });
  }

  send(text: string): void {
    this.#waiting.shift()?.({ done: false, value: { text, event: undefined } });
  }

  fail(error: Error): void {
    this.#waiting.shift()?.(Promise.reject(error));
  }
}

const unexpected = (error: unknown): void => {
  throw error;
};

test('B1: a single source serves all readers of a key, and ends with the last of them', async () => {
  const source = new ScriptedSource();
  let opened = 0;
  const broadcasts = new Broadcasts(unexpected);
  const open = async (): Promise<StreamSource> => {
    opened += 1;
    return source;
  };
  const members = await Promise.all([broadcasts.join('k', open), broadcasts.join('k', open)]);
  const streams = [await openEventStream(), await openEventStream()];
  for (const [index, member] of members.entries()) {
    const opened = streams[index];
    if (opened) member.add(opened.stream);
  }
  source.send('data: 1\n\n');
  for (const { reader } of streams)
    expect(String((await reader.iterator({ destroyOnReturn: false }).next()).value)).toBe('data: 1\n\n');
  expect(opened).toBe(1);
  members[0]?.leave();
  expect(source.isOver).toBe(false);
  members[1]?.leave();
  await expect.poll(() => source.isOver).toBe(true);
  await broadcasts.join('k', open);
  expect(opened).toBe(2);
});

test('B3: a source that ends, ends its streams', async () => {
  const source = new ScriptedSource();
  const broadcasts = new Broadcasts(unexpected);
  const member = await broadcasts.join('k', async () => source);
  const { stream, reader } = await openEventStream();
  member.add(stream);
  await source.return();
  expect(await reader.toArray()).toEqual([]);
});

test('B3: a source that fails cuts off its readers, and is opened again for the next reader', async () => {
  const failures: unknown[] = [];
  const broadcasts = new Broadcasts((error) => failures.push(error));
  const source = new ScriptedSource();
  const member = await broadcasts.join('k', async () => source);
  const { stream, reader } = await openEventStream();
  member.add(stream);
  const failed = new Promise((resolve) => reader.on('error', resolve));
  const error = new Error('the database went away');
  source.fail(error);
  await failed;
  expect(failures).toEqual([error]);
  member.leave();
  const next = new ScriptedSource();
  (await broadcasts.join('k', async () => next)).leave();
  await expect.poll(() => next.isOver).toBe(true);
});

test('a source that cannot be opened rejects all waiting readers, and is opened again for the next', async () => {
  const broadcasts = new Broadcasts(unexpected);
  const refuse = (): Promise<StreamSource> => Promise.reject(new Error('refused'));
  const [first, second] = [broadcasts.join('k', refuse), broadcasts.join('k', refuse)];
  await expect(first).rejects.toThrow('refused');
  await expect(second).rejects.toThrow('refused');
  const source = new ScriptedSource();
  (await broadcasts.join('k', async () => source)).leave();
  await expect.poll(() => source.isOver).toBe(true);
});
