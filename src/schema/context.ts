import type { EngineContext } from '../engine/context.ts';
import { type Principal, requireProject } from '../engine/projects/index.ts';
import { createLoaders, type Loaders } from './loaders/index.ts';

/** The surface through which a call came: a decision on an approval records it (4.7). */
export type Via = 'rest' | 'graphql' | 'mcp';

export interface SchemaContextParts {
  engine: EngineContext;
  principal: Principal;
  via: Via;
}

/** What every resolver is given: the engine, who calls, through which surface, and this request's loaders. */
export class SchemaContext {
  readonly engine: EngineContext;
  readonly principal: Principal;
  readonly via: Via;
  #loaders: Loaders | undefined;

  constructor({ engine, principal, via }: SchemaContextParts) {
    this.engine = engine;
    this.principal = principal;
    this.via = via;
  }

  /** The project that the call acts in. Throws for an operator that names none. */
  get projectId(): string {
    return requireProject(this.principal);
  }

  /** Batched reads of this project; they remember what they read. */
  get loaders(): Loaders {
    this.#loaders ??= createLoaders(this.engine, this.projectId);
    return this.#loaders;
  }

  /** Forgets what was read: after a write, and for each frame of a subscription. */
  refresh(): void {
    this.#loaders = undefined;
  }
}

/** A context for one request; it must not outlive it, or it would answer from memory. */
export const createSchemaContext = (parts: SchemaContextParts): SchemaContext => new SchemaContext(parts);
