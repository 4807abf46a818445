import { beforeAll, describe, expect, it } from 'vitest';
import type { Frame } from '../../../src/engine/bus.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import { tailRun } from '../../../src/engine/timeline/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { isSettled, Journal, logLine, toStatus } from './journal.ts';

const test = useEngine();
let engine: EngineContext;
let projectId: string;

beforeAll(async () => {
  engine = test.engine;
  projectId = await createTestProject(engine);
});

const tail = (journal: Journal, from?: number, signal?: AbortSignal) =>
  tailRun(engine, { projectId, runId: journal.runId, from, signal });

async function collect(frames: AsyncIterable<Frame>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of frames) seqs.push(seq);
  return seqs;
}

async function take(frames: AsyncIterator<Frame>, count: number): Promise<number[]> {
  const seqs: number[] = [];
  while (seqs.length < count) {
    const { value, done } = await frames.next();
    if (done) break;
    seqs.push(value.seq);
  }
  return seqs;
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('the live timeline of a run (4.5)', () => {
  it('of an ended run is replayed to the end and closes', async () => {
    const journal = await Journal.start(engine, projectId);
    await journal.commit(toStatus('running'), ...numbers(1, 700).map((index) => logLine(index)), toStatus('failed'));
    expect(await collect(tail(journal))).toEqual(numbers(1, 703));
    expect(await collect(tail(journal, 500))).toEqual(numbers(501, 703));
    expect(await collect(tail(journal, 703))).toEqual([]);
  });

  it('T3: continues live, and ends by itself with the frame of the terminal status', async () => {
    const journal = await Journal.start(engine, projectId);
    const frames = tail(journal);
    expect(await take(frames, 1)).toEqual([1]);
    const next = frames.next();
    expect(await isSettled(next)).toBe(false);
    await journal.publish(toStatus('running'), logLine(0));
    expect((await next).value?.seq).toBe(2);
    await journal.publish(toStatus('succeeded'));
    expect(await collect(frames)).toEqual([3, 4]);
  });

  it('notices what another process commits', async () => {
    const journal = await Journal.start(engine, projectId);
    const frames = tail(journal);
    await take(frames, 1);
    const next = frames.next();
    await journal.commit(toStatus('running'));
    expect((await next).value?.seq).toBe(2);
    await journal.commit(toStatus('cancelled'));
    expect(await collect(frames)).toEqual([3]);
  });

  it('T1: a lost, repeated or late hint causes neither a gap nor a duplicate', async () => {
    const journal = await Journal.start(engine, projectId);
    const frames = tail(journal);
    await take(frames, 1);
    const waiting = frames.next();
    expect(await isSettled(waiting)).toBe(false);
    const second = await journal.commit(toStatus('running'));
    const third = await journal.commit(logLine(1));
    const fourth = await journal.commit(logLine(2));
    journal.tell(third);
    expect((await waiting).value?.seq).toBe(2);
    journal.tell(second);
    journal.tell(third);
    journal.tell([...second, ...third, ...fourth]);
    await journal.publish(toStatus('succeeded'));
    journal.tell(fourth);
    expect(await collect(frames)).toEqual([3, 4, 5]);
  });

  it('a hint that names no frames causes a read', async () => {
    const journal = await Journal.start(engine, projectId);
    const frames = tail(journal);
    await take(frames, 1);
    const waiting = frames.next();
    await journal.commit(toStatus('running'), logLine(0));
    journal.hint();
    expect((await waiting).value?.seq).toBe(2);
    await journal.commit(toStatus('succeeded'));
    journal.hint();
    expect(await collect(frames)).toEqual([3, 4]);
  });

  it('T2: a slow consumer gets every frame, and holds at most a page', async () => {
    const journal = await Journal.start(engine, projectId);
    const frames = tail(journal);
    await take(frames, 1);
    const first = frames.next();
    for (let batch = 0; batch < 30; batch++) await journal.publish(...numbers(1, 50).map((index) => logLine(index)));
    await journal.publish(toStatus('succeeded'));
    expect((await first).value?.seq).toBe(2);
    expect(await collect(frames)).toEqual(numbers(3, 1502));
  });

  it('frames of a megabyte are read one by one', async () => {
    const journal = await Journal.start(engine, projectId);
    const large = { text: 'x'.repeat(900_000) };
    const frames = tail(journal);
    await take(frames, 1);
    const first = frames.next();
    for (let index = 0; index < 5; index++) await journal.publish(logLine(index, large), logLine(index, large));
    await journal.publish(toStatus('succeeded'));
    expect((await first).value?.seq).toBe(2);
    expect(await collect(frames)).toEqual(numbers(3, 12));
  });

  it('many readers of one run each get everything from where they began', async () => {
    const journal = await Journal.start(engine, projectId);
    const readers = numbers(0, 20).map((from) => collect(tail(journal, from)));
    for (const index of numbers(1, 20)) await journal[index % 3 === 0 ? 'commit' : 'publish'](logLine(index));
    await journal.publish(toStatus('failed'));
    for (const [from, seqs] of (await Promise.all(readers)).entries()) expect(seqs).toEqual(numbers(from + 1, 22));
  });

  it("does not hear of other runs' frames", async () => {
    const [mine, other] = [await Journal.start(engine, projectId), await Journal.start(engine, projectId)];
    const frames = tail(mine);
    await take(frames, 1);
    const next = frames.next();
    await other.publish(toStatus('running'));
    expect(await isSettled(next)).toBe(false);
    await frames.return?.();
    expect((await next).done).toBe(true);
  });
});

describe('a tail ends', () => {
  it('by its signal, while it waits', async () => {
    const journal = await Journal.start(engine, projectId);
    const abort = new AbortController();
    const frames = tail(journal, 1, abort.signal);
    const next = frames.next();
    expect(await isSettled(next)).toBe(false);
    abort.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('by a signal that was aborted before', async () => {
    const journal = await Journal.start(engine, projectId);
    expect(await collect(tail(journal, 0, AbortSignal.abort()))).toEqual([]);
  });

  it('by return, while it waits', async () => {
    const journal = await Journal.start(engine, projectId);
    const frames = tail(journal, 1);
    const next = frames.next();
    expect(await isSettled(next)).toBe(false);
    await frames.return?.();
    expect((await next).done).toBe(true);
  });

  it('by breaking out of the loop', async () => {
    const journal = await Journal.start(engine, projectId);
    const frames = tail(journal);
    for await (const { seq } of frames) {
      expect(seq).toBe(1);
      break;
    }
    expect((await frames.next()).done).toBe(true);
  });
});

describe('a tail is held to its project', () => {
  it('an unknown run and that of another project are not found', async () => {
    const theirs = await Journal.start(engine, await createTestProject(engine));
    for (const runId of [theirs.runId, newId(), 'x']) {
      const frames = tailRun(engine, { projectId, runId });
      await expect(frames.next()).rejects.toMatchObject({ kind: 'notFound' });
      expect((await frames.next()).done).toBe(true);
    }
  });

  it('a bad position is named', () => {
    expect(() => tailRun(engine, { projectId, runId: newId(), from: -1 })).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
  });
});
