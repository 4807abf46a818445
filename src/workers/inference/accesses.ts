import type { EngineContext } from '../../engine/context.ts';
import { noAccessReason, type ProviderAccess, resolveAccess, unreadableKeyText } from '../../engine/inference/index.ts';
import { UnreadableSealError } from '../../engine/secrets/index.ts';

/** How a call reaches its provider, or why it cannot. */
export type Access = { access: ProviderAccess } | { reason: string };

interface Known {
  access: Promise<Access>;
  readMs: number;
}

const maxEntries = 10_000;

/** Keeps the access of projects to providers for a few seconds. */
export class Accesses {
  readonly #engine: EngineContext;
  readonly #maxAgeMs: number;
  readonly #known = new Map<string, Known>();

  constructor(engine: EngineContext, maxAgeMs: number) {
    this.#engine = engine;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Rejects if the database cannot answer. */
  get(projectId: string, provider: string): Promise<Access> {
    const name = `${projectId} ${provider}`;
    const known = this.#known.get(name);
    if (known && performance.now() - known.readMs < this.#maxAgeMs) return known.access;
    if (this.#known.size >= maxEntries) this.#known.clear();
    const entry: Known = { access: this.#read(projectId, provider), readMs: performance.now() };
    this.#known.set(name, entry);
    entry.access.catch(() => {
      if (this.#known.get(name) === entry) this.#known.delete(name);
    });
    return entry.access;
  }

  /** A key may have changed. */
  clear(): void {
    this.#known.clear();
  }

  async #read(projectId: string, provider: string): Promise<Access> {
    const scope = { projectId, provider };
    try {
      const access = await resolveAccess(this.#engine, scope);
      return access ? { access } : { reason: await noAccessReason(this.#engine, scope) };
    } catch (error) {
      if (error instanceof UnreadableSealError) return { reason: unreadableKeyText };
      throw error;
    }
  }
}
