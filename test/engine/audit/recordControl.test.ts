import { beforeAll, describe, expect, it } from 'vitest';
import { controlActions, recordControl } from '../../../src/engine/audit/index.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const test = useEngine();
let engine: EngineContext;

beforeAll(async () => {
  engine = test.engine;
});

describe('the audit log (2.13)', () => {
  it.each(controlActions)('records %s', async (action) => {
    const [projectId, runId, newRunId] = [await createTestProject(engine), newId(), newId()];
    await recordControl(engine, { projectId, action, runId, newRunId, actor: 'ci', detail: { step: 'charge' } });
    expect(await engine.db.prisma.controlAction.findMany({ where: { projectId } })).toEqual([
      {
        id: expect.any(String),
        projectId,
        action,
        runId,
        newRunId,
        runIds: [],
        actor: 'ci',
        detail: { step: 'charge' },
        createdAt: expect.any(Date),
      },
    ]);
  });

  it('holds nothing where nothing was said', async () => {
    const projectId = await createTestProject(engine);
    await recordControl(engine, { projectId, action: 'cancel' });
    const [row] = await engine.db.prisma.controlAction.findMany({ where: { projectId } });
    expect(row).toMatchObject({ runId: null, newRunId: null, actor: null, detail: null });
  });

  it('never fails the action: a write that fails is logged', async () => {
    const warnings: unknown[] = [];
    const log = engine.log.child({});
    log.warn = (entry: unknown) => warnings.push(entry);
    const projectId = await createTestProject(engine);
    await recordControl({ ...engine, log }, { projectId, action: 'cancel', runId: 'no uuid' });
    await recordControl({ ...engine, log }, { projectId, action: 'cancel', detail: { n: 1n } });
    expect(warnings).toHaveLength(2);
    expect(await engine.db.prisma.controlAction.count({ where: { projectId } })).toBe(0);
  });
});
