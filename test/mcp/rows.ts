import { newId } from '../../src/engine/ids.ts';
import type { McpServer } from './mcpServer.ts';

/** Writes an approval. Returns its id. */
export async function createApproval(
  { engine, projectId }: Pick<McpServer, 'engine' | 'projectId'>,
  runId: string,
  stepIndex: number,
  args: string,
): Promise<string> {
  const id = newId();
  await engine.db.prisma.approval.create({
    data: {
      id,
      projectId,
      runId,
      stepIndex,
      step: 'sign',
      tool: 'refund',
      args: JSON.parse(args),
      risk: 'high',
      escalatesTo: '',
      onTimeout: 'reject',
      status: 'pending',
    },
  });
  return id;
}
