/** Reads the secrets that sign an endpoint's deliveries. */
export type ReadSecrets = (scope: { projectId: string; endpointId: string }) => Promise<readonly string[]>;

/** How long secrets are kept, in ms. A rotation in this process drops them at once. */
const maxAgeMs = 5_000;
const maxEntries = 10_000;

/** Keeps the signing secrets of endpoints for a few seconds. */
export class SigningSecrets {
  readonly #read: ReadSecrets;
  readonly #known = new Map<string, { secrets: Promise<readonly string[]>; readMs: number }>();

  constructor(read: ReadSecrets) {
    this.#read = read;
  }

  /** The current secret, and its predecessor during a rotation. Empty if none can be opened. */
  get(projectId: string, endpointId: string): Promise<readonly string[]> {
    const known = this.#known.get(endpointId);
    if (known && performance.now() - known.readMs < maxAgeMs) return known.secrets;
    if (this.#known.size >= maxEntries) this.#known.clear();
    const secrets = this.#read({ projectId, endpointId });
    const entry = { secrets, readMs: performance.now() };
    this.#known.set(endpointId, entry);
    secrets.catch(() => {
      if (this.#known.get(endpointId) === entry) this.#known.delete(endpointId);
    });
    return secrets;
  }

  clear(): void {
    this.#known.clear();
  }
}
