import type { WireWorkflow } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../../src/engine/context.ts';
import { registerRunner } from '../../src/engine/runners/index.ts';

/**
 * Registers a runner that serves the workflows, as `POST /register` does; its URL is never called.
 */
export async function registerWorkflows(
  engine: EngineContext,
  projectId: string,
  workflows: WireWorkflow[],
  { app = 'default', runner = 'runner-1' }: { app?: string; runner?: string } = {},
): Promise<void> {
  const registration = { app, runner, url: 'http://127.0.0.1:9/invoke', workflows };
  await registerRunner(engine, { projectId, registration });
}
