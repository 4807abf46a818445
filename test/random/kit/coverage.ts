/** What was seen at least once: a test that met nothing has proved nothing. */
export class Coverage {
  readonly #seen = new Map<string, Map<string, number>>();

  count(kind: string, what: string): void {
    const kinds = this.#seen.get(kind) ?? new Map<string, number>();
    this.#seen.set(kind, kinds.set(what, (kinds.get(what) ?? 0) + 1));
  }

  /** What was seen of a kind, by name. */
  of(kind: string): string[] {
    return [...(this.#seen.get(kind)?.keys() ?? [])].sort();
  }

  /** What of a kind should have been seen, and was not. */
  missing(kind: string, all: readonly string[]): string[] {
    return missing(kind, all, this.of(kind));
  }

  report(): Record<string, Record<string, number>> {
    return Object.fromEntries([...this.#seen].map(([kind, counts]) => [kind, Object.fromEntries([...counts].sort())]));
  }
}

/** Those that are not among what was seen, with their kind. */
export const missing = (kind: string, all: readonly string[], seen: readonly string[]): string[] =>
  all.filter((each) => !seen.includes(each)).map((each) => `${kind}: ${each}`);

/** RANDOM_TRACE=1 tells the course of a storm, for whoever looks for the reason of a failure. */
export function trace(what: string, details: unknown): void {
  if (process.env['RANDOM_TRACE']) process.stdout.write(`${what} ${JSON.stringify(details)}\n`);
}
