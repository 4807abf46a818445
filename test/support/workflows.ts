import type { WireWorkflow } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../../src/engine/context.ts';
import { newId } from '../../src/engine/ids.ts';

/** Registers a runner that serves the workflows, as `POST /register` does; its URL is never called. */
export async function registerWorkflows(
  engine: EngineContext,
  projectId: string,
  workflows: WireWorkflow[],
  { app = 'default', runner = 'runner-1' }: { app?: string; runner?: string } = {},
): Promise<void> {
  const { prisma } = engine.db;
  await prisma.app.upsert({
    where: { projectId_name: { projectId, name: app } },
    create: { projectId, name: app },
    update: {},
  });
  for (const w of workflows)
    await prisma.workflow.create({
      data: {
        id: newId(),
        projectId,
        app,
        name: w.name,
        version: 'v1',
        maxAttempts: w.retry?.maxAttempts ?? 1,
        backoff: w.retry?.backoff ?? 'exponential',
        initialDelayMs: w.retry?.initialDelayMs ?? 1000,
        maxDelayMs: w.retry?.maxDelayMs ?? 300000,
        onFailure: false,
        ...(w.triggers && { triggers: w.triggers as never }),
      },
    });
  await prisma.runner.create({
    data: {
      id: newId(),
      projectId,
      app,
      runnerId: runner,
      transport: 'http',
      url: 'http://127.0.0.1:9/invoke',
      workflows: workflows.map((w) => w.name),
      connectionId: newId(),
      lastSeenAt: engine.clock.now(),
    },
  });
  await prisma.project.update({ where: { id: projectId }, data: { registryVersion: { increment: 1 } } });
  engine.registry.invalidate(projectId);
}
