import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onCurrentSnapshot } from '../../../src/engine/runs/onCurrentSnapshot.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../../support/engine.ts';

let test: TestEngine;
let projectId: string;
beforeAll(async () => {
  test = await createTestEngine();
  projectId = await createTestProject(test.engine);
});
afterAll(() => test.close());

describe('a decision on what is registered', () => {
  it('is made anew, on a fresh copy, however often runners that come and go make the copy stale', async () => {
    const seen: bigint[] = [];
    const decided = await onCurrentSnapshot(test.engine, projectId, async ({ version }) => {
      seen.push(BigInt(version));
      await test.db.query('update project set registry_version = registry_version + 1 where id = $1', [projectId]);
      return seen.length > 50 ? 'decided' : 'stale';
    });
    expect(decided).toBe('decided');
    expect(new Set(seen).size).toBe(51);
  });

  it('is given up when it never comes to an end', async () => {
    const stale = onCurrentSnapshot(test.engine, projectId, async () => 'stale' as const, 50);
    await expect(stale).rejects.toThrow('changes faster than it can be read');
  });
});
