import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import { checkPosition } from '../../../src/engine/timeline/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { readFrames } from '../../support/frames.ts';
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

  it('payloads are read as they were written', async () => {
    const journal = await Journal.start(engine, projectId);
    const payload = '{"status":"running","n":1e400,"nul":"\\u0000","half":"\\ud800"}';
    await engine.db.query(`insert into run_frame (run_id, seq, kind, payload) values ($1, 2, 'run_status', $2)`, [
      journal.runId,
      payload,
    ]);
    expect((await readFrames(engine, { projectId, runId: journal.runId, from: 1 }))[0]?.payload).toBe(payload);
  });

  it('a page of megabytes ends early, and the next one continues there', async () => {
    const journal = await Journal.start(engine, projectId);
    for (let batch = 0; batch < 4; batch++) {
      await journal.commit(
        ...Array.from({ length: 10 }, (_, index) => logLine(index, { text: 'x'.repeat(1_000_000) })),
      );
    }
    const at = { projectId, runId: journal.runId };
    const lines = [];
    for (let from = 1; ; from = lines.at(-1)?.seq ?? 0) {
      const page = await readFrames(engine, { ...at, from });
      if (page.length === 0) break;
      expect(page.length).toBeLessThan(20);
      lines.push(...page);
    }
    expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 2));
  });

  it("of another project's run is empty", async () => {
    const { runId } = await Journal.start(engine, await createTestProject(engine));
    expect(await readFrames(engine, { projectId, runId })).toEqual([]);
    await expect(checkPosition(engine, { projectId, runId })).rejects.toMatchObject({ kind: 'notFound' });
  });

  it.each(['not-an-id', newId(), "' or true --"])('of an unknown run is not found: %s', async (runId) => {
    await expect(checkPosition(engine, { projectId, runId })).rejects.toMatchObject({ kind: 'notFound' });
  });

  it.each([-1, 1.5, 2 ** 60])('a bad from is named: %j', async (from) => {
    const { runId } = await Journal.start(engine, projectId);
    const error = { kind: 'invalid', message: expect.stringMatching(/^from: /) };
    await expect(checkPosition(engine, { projectId, runId, from })).rejects.toMatchObject(error);
  });
});
