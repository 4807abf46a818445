import type { EngineContext } from '../context.ts';
import { suspended } from '../errors.ts';
import { getProject } from '../projects/index.ts';

/** 4.6: a suspended project refuses to replay and to act in bulk, whatever was asked for. Throws `suspended`. */
export async function requireActive(ctx: EngineContext, projectId: string): Promise<void> {
  if ((await getProject(ctx, projectId)).suspended) throw suspended();
}
