import type { EngineContext } from '../engine/context.ts';

/** Batched reads of one request. */
export interface Loaders {
  projectId: string | undefined;
}

/** Loaders that see one project only; without a project they find nothing. */
export function createLoaders(_engine: EngineContext, projectId: string | undefined): Loaders {
  return { projectId };
}
