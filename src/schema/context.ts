import type { EngineContext } from '../engine/context.ts';
import type { Principal } from '../engine/projects/principal.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/** What every resolver is given: the engine, who calls, through which surface, and this request's loaders. */
export interface SchemaContext {
  engine: EngineContext;
  principal: Principal;
  via: Via;
  loaders: Loaders;
}

/** The surface through which a call came: a decision on an approval records it (4.7). */
export type Via = 'rest' | 'graphql' | 'mcp';

export interface SchemaContextParts {
  engine: EngineContext;
  principal: Principal;
  via: Via;
}

/** A context for one request: its loaders batch and remember, so it must not outlive the request. */
export function createSchemaContext({ engine, principal, via }: SchemaContextParts): SchemaContext {
  return { engine, principal, via, loaders: createLoaders(engine, principal.projectId) };
}
