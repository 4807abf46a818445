import type { EngineContext } from '../../engine/context.ts';
import { noAccessReason, type ProviderAccess, resolveAccess, unreadableKeyText } from '../../engine/inference/index.ts';
import { UnreadableSealError } from '../../engine/secrets/index.ts';

/** How a call reaches its provider, or why it cannot. */
export type Access = { access: ProviderAccess } | { reason: string };

interface Known {
  access: Promise<Access>;
  readMs: number;
  /** Whether the last answer was a way to the provider. */
  reaches: boolean;
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
    const access = this.#read(projectId, provider);
    const entry: Known = { access, readMs: performance.now(), reaches: known?.reaches ?? false };
    this.#known.set(name, entry);
    access.then(
      (found) => {
        entry.reaches = 'access' in found;
      },
      () => {
        if (this.#known.get(name) === entry) this.#known.delete(name);
      },
    );
    return access;
  }

  /** Whether a project reaches a provider, as far as is known. Reads it again if that is old. */
  reaches(projectId: string, provider: string): boolean {
    // A call meets the failure itself.
    this.get(projectId, provider).catch(() => undefined);
    return this.#known.get(`${projectId} ${provider}`)?.reaches ?? false;
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
