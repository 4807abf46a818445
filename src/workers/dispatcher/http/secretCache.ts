/**
 * Caches the invoke secrets of apps, for less time than a rotation keeps the old secret valid.
 */
export class SecretCache {
  readonly #load: (scope: Scope) => Promise<readonly string[]>;
  readonly #known = new Map<string, { secrets: Promise<readonly string[]>; loadedMs: number }>();

  constructor(load: (scope: Scope) => Promise<readonly string[]>) {
    this.#load = load;
  }

  /** Throws `NoInvokeSecretError` if the app has none. */
  async get(scope: Scope): Promise<readonly string[]> {
    const key = keyOf(scope);
    const known = this.#known.get(key);
    if (known && performance.now() - known.loadedMs < maxAgeMs) return known.secrets;
    if (this.#known.size >= maxEntries) this.#known.clear();
    const secrets = this.#loadSome(scope);
    this.#known.set(key, { secrets, loadedMs: performance.now() });
    secrets.catch(() => this.#known.delete(key));
    return secrets;
  }

  /** Reads the secrets again after a runner refused `refused`, unless they changed meanwhile. */
  async renew(scope: Scope, refused: readonly string[]): Promise<readonly string[]> {
    const known = await this.get(scope);
    if (known.join() !== refused.join()) return known;
    this.#known.delete(keyOf(scope));
    return this.get(scope);
  }

  clear(): void {
    this.#known.clear();
  }

  async #loadSome(scope: Scope): Promise<readonly string[]> {
    const secrets = await this.#load(scope);
    if (secrets.length === 0) throw new NoInvokeSecretError(`app ${scope.app} has no invoke secret`);
    return secrets;
  }
}

/** The error for an app without a secret: none of its runners has registered. */
export class NoInvokeSecretError extends Error {
  override readonly name = 'NoInvokeSecretError';
}

interface Scope {
  projectId: string;
  app: string;
}

const keyOf = ({ projectId, app }: Scope): string => `${projectId} ${app}`;

const maxAgeMs = 30_000;
const maxEntries = 10_000;
