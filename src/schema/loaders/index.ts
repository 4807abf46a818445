import type { EngineContext } from '../../engine/context.ts';
import { createEventLoaders, type EventLoaders } from './events.ts';
import { createRunLoaders, type RunLoaders } from './runs.ts';

export { type RunPayload, type StepPayload, stepKey } from './runs.ts';
export { loadTailedEvent } from './tailedEvents.ts';

/** Batched reads of one request, of one project. */
export interface Loaders extends RunLoaders, EventLoaders {}

export const createLoaders = (engine: EngineContext, projectId: string): Loaders => ({
  ...createRunLoaders(engine, projectId),
  ...createEventLoaders(engine, projectId),
});
