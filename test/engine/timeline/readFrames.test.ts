import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import { hasTimelineEnded, readFrames, readLogs } from '../../../src/engine/timeline/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { Journal, logLine, toStatus } from './journal.ts';

const test = useEngine();
let engine: EngineContext;
let projectId: string;

beforeAll(async () => {
  engine = test.engine;
  projectId = await createTestProject(engine);
});

describe('the journal of a run', () => {
  it('is read in order, page by page, from the last seq seen', async () => {
    const journal = await Journal.start(engine, projectId);
    await journal.commit(toStatus('running'), logLine(0), logLine(1), toStatus('waiting'));
    const at = { projectId, runId: journal.runId };
    const all = await readFrames(engine, at);
    expect(all.map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, 'run_status'],
      [2, 'run_status'],
      [3, 'log'],
      [4, 'log'],
      [5, 'run_status'],
    ]);
    expect(await readFrames(engine, { ...at, from: 2, limit: 2 })).toEqual(all.slice(2, 4));
    expect(await readFrames(engine, { ...at, from: 5 })).toEqual([]);
  });

  it('payloads come back as they were written', async () => {
    const journal = await Journal.start(engine, projectId);
    const payload = '{"status":"running","n":1e400,"nul":"\\u0000","half":"\\ud800"}';
    await engine.db.query(`insert into run_frame (run_id, seq, kind, payload) values ($1, 2, 'run_status', $2)`, [
      journal.runId,
      payload,
    ]);
    expect((await readFrames(engine, { projectId, runId: journal.runId, from: 1 }))[0]?.payload).toBe(payload);
  });

  it('a page of megabytes ends early, and goes on where it ended', async () => {
    const journal = await Journal.start(engine, projectId);
    for (let batch = 0; batch < 4; batch++) {
      await journal.commit(
        ...Array.from({ length: 10 }, (_, index) => logLine(index, { text: 'x'.repeat(1_000_000) })),
      );
    }
    const at = { projectId, runId: journal.runId };
    const lines = [];
    for (let from = 0; ; from = lines.at(-1)?.seq ?? 0) {
      const page = await readLogs(engine, { ...at, from, limit: 1000 });
      if (page.length === 0) break;
      expect(page.length).toBeLessThan(20);
      lines.push(...page);
    }
    expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 2));
  });

  it.each(['not-an-id', newId(), "' or true --"])('of an unknown run is not found: %s', async (runId) => {
    await expect(readFrames(engine, { projectId, runId })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(readLogs(engine, { projectId, runId })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(hasTimelineEnded(engine, { projectId, runId })).rejects.toMatchObject({ kind: 'notFound' });
  });

  it("of another project's run is not found", async () => {
    const { runId } = await Journal.start(engine, await createTestProject(engine));
    await expect(readFrames(engine, { projectId, runId })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(readLogs(engine, { projectId, runId })).rejects.toMatchObject({ kind: 'notFound' });
    await expect(hasTimelineEnded(engine, { projectId, runId })).rejects.toMatchObject({ kind: 'notFound' });
  });

  it.each([
    ['from', { from: -1 }],
    ['from', { from: 1.5 }],
    ['from', { from: 2 ** 60 }],
    ['limit', { limit: 0 }],
    ['limit', { limit: Number.NaN }],
  ])('a bad %s is named: %j', async (field, query) => {
    const { runId } = await Journal.start(engine, projectId);
    const error = { kind: 'invalid', message: expect.stringMatching(new RegExp(`^${field}: `)) };
    await expect(readFrames(engine, { projectId, runId, ...query })).rejects.toMatchObject(error);
  });

  it('a limit above 1000 is clamped', async () => {
    const journal = await Journal.start(engine, projectId);
    await journal.commit(...Array.from({ length: 1100 }, (_, index) => logLine(index)));
    expect(await readFrames(engine, { projectId, runId: journal.runId, limit: 5000 })).toHaveLength(1000);
    expect(await readFrames(engine, { projectId, runId: journal.runId })).toHaveLength(100);
  });
});

describe('log lines of a run (2.6)', () => {
  it('are the log frames, with their seq', async () => {
    const journal = await Journal.start(engine, projectId);
    await journal.commit(toStatus('running'), logLine(0, { a: 1 }), toStatus('waiting'), logLine(1));
    const [first, second, ...rest] = await readLogs(engine, { projectId, runId: journal.runId });
    expect(first).toMatchObject({ seq: 3, level: 'info', message: 'line 0', scope: '@root', attempt: 1 });
    expect(first?.fields?.text).toBe('{"a":1}');
    expect(second).toMatchObject({ seq: 5, message: 'line 1', fields: undefined });
    expect(rest).toEqual([]);
  });
});

describe('a reconnect with nothing left', () => {
  it('is told once the run has ended and its last frame was seen', async () => {
    const journal = await Journal.start(engine, projectId);
    const at = { projectId, runId: journal.runId };
    expect(await hasTimelineEnded(engine, { ...at, from: 1 })).toBe(false);
    await journal.commit(toStatus('running'), toStatus('succeeded'));
    expect(await hasTimelineEnded(engine, { ...at, from: 2 })).toBe(false);
    expect(await hasTimelineEnded(engine, { ...at, from: 3 })).toBe(true);
  });
});
