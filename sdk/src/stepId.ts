import { createHash } from 'node:crypto';

/** The hashed ids of this process. Bounded, because handlers may derive step ids from data. */
const known = new Map<string, string>();
const knownLimit = 10_000;

/** 4.10: the lowercase hexadecimal SHA-256 of the UTF-8 bytes of a step's readable name. */
export function hashStepId(name: string): string {
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const hash = createHash('sha256').update(name, 'utf8').digest('hex');
  if (known.size >= knownLimit) known.clear();
  known.set(name, hash);
  return hash;
}

/** The readable name behind a hash, if this process has hashed it. */
export function stepNameOf(hash: string): string | undefined {
  for (const [name, its] of known) if (its === hash) return name;
  return undefined;
}

/** Names each use of an id in a pass: `x`, `x:1`, `x:2`, in the order of the calls. */
export class StepNames {
  /** How often each name was used as an id; 0 for a name derived from another id. */
  readonly #uses = new Map<string, number>();

  next(id: string): string {
    const uses = this.#uses.get(id);
    if (uses === undefined) {
      this.#uses.set(id, 1);
      return id;
    }
    let use = Math.max(uses, 1);
    while (this.#uses.has(`${id}:${use}`)) use += 1;
    const name = `${id}:${use}`;
    this.#uses.set(id, use + 1);
    this.#uses.set(name, 0);
    return name;
  }
}
