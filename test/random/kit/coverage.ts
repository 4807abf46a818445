/** Everything that was met at least once: a test that met nothing has proved nothing. */
export class Coverage {
  readonly #seen = new Map<string, Map<string, number>>();

  count(kind: string, what: string): void {
    const kinds = this.#seen.get(kind) ?? new Map<string, number>();
    this.#seen.set(kind, kinds.set(what, (kinds.get(what) ?? 0) + 1));
  }

  /** The names that were met, of one kind. */
  of(kind: string): string[] {
    return [...(this.#seen.get(kind)?.keys() ?? [])].sort();
  }

  /** The names that were not met, of one kind. */
  missing(kind: string, all: readonly string[]): string[] {
    return missing(kind, all, this.of(kind));
  }

  report(): Record<string, Record<string, number>> {
    return Object.fromEntries([...this.#seen].map(([kind, counts]) => [kind, Object.fromEntries([...counts].sort())]));
  }
}

/** Like `missing` of the class, with the kind in each name. */
export const missing = (kind: string, all: readonly string[], seen: readonly string[]): string[] =>
  all.filter((each) => !seen.includes(each)).map((each) => `${kind}: ${each}`);

/** RANDOM_TRACE=1 prints the course of a storm, to debug a failure. */
export function trace(what: string, details: unknown): void {
  if (process.env['RANDOM_TRACE']) process.stdout.write(`${what} ${JSON.stringify(details)}\n`);
}
