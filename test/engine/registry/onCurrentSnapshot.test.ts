import { beforeAll, describe, expect, it } from 'vitest';
import { onCurrentSnapshot, Refusal, refusal } from '../../../src/engine/registry/onCurrentSnapshot.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const test = useEngine();
let projectId: string;
beforeAll(async () => {
  projectId = await createTestProject(test.engine);
});

describe('a decision on a cached registry', () => {
  it('is retried on a fresh copy, however often connecting runners outdate the copy', async () => {
    const seen: bigint[] = [];
    const decided = await onCurrentSnapshot(test.engine, projectId, async ({ version }) => {
      seen.push(BigInt(version));
      await test.db.query('update project set registry_version = registry_version + 1 where id = $1', [projectId]);
      return seen.length > 50 ? 'decided' : 'stale';
    });
    expect(decided).toBe('decided');
    expect(new Set(seen).size).toBe(51);
  });

  it('is refused only on a copy that is younger than the request', async () => {
    const copy = await test.engine.registry.snapshot(projectId);
    const seen: unknown[] = [];
    const refused = onCurrentSnapshot(test.engine, projectId, async (snapshot) => {
      seen.push(snapshot);
      return refusal(new Error('no such thing'));
    });
    await expect(refused).rejects.toThrow('no such thing');
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(copy);
    expect(seen[1]).not.toBe(copy);
  });

  it('that has only a part of the requested effect is carried out once', async () => {
    const done: string[] = [];
    const decided = await onCurrentSnapshot(
      test.engine,
      projectId,
      async () =>
        new Refusal(() => {
          done.push('less');
          return 'less' as const;
        }),
    );
    expect(decided).toBe('less');
    expect(done).toEqual(['less']);
  });

  it('fails after a time limit', async () => {
    const stale = onCurrentSnapshot(test.engine, projectId, async () => 'stale' as const, 50);
    await expect(stale).rejects.toThrow('changes faster than it can be read');
  });
});
