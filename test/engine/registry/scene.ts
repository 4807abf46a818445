import { registerDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { nextConnectionNo, registerRunner } from '../../../src/engine/runners/index.ts';
import { createTestProject, type TestEngine } from '../../support/engine.ts';

/** A registration of the app `shop` with one workflow, as a runner sends it. */
export const shop = (extra: object = {}): object => ({
  app: 'shop',
  runner: 'r1',
  url: 'http://127.0.0.1:9/invoke',
  workflows: [{ name: 'pay' }],
  ...extra,
});

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** A project whose runners register over HTTP and sockets, and its stored rows. */
export async function openScene({ engine, db }: TestEngine) {
  const projectId = await createTestProject(engine);
  const dispatcherId = await registerDispatcher(engine);
  return {
    projectId,
    register: (extra: object = {}) => registerRunner(engine, { projectId, registration: shop(extra) }),
    async connect(extra: object = {}) {
      const connection = { dispatcherId, connectionId: newId(), connectionNo: await nextConnectionNo(engine) };
      return { connection, registered: registerRunner(engine, { projectId, registration: shop(extra), connection }) };
    },
    version: async (): Promise<bigint> =>
      (await db.prisma.project.findUniqueOrThrow({ where: { id: projectId } })).registryVersion,
    workflows: () =>
      db.prisma.workflow.findMany({
        where: { projectId },
        orderBy: { name: 'asc' },
        include: { schedules: { orderBy: { cron: 'asc' } } },
      }),
    runners: () => db.prisma.runner.findMany({ where: { projectId }, orderBy: { runnerId: 'asc' } }),
  };
}
