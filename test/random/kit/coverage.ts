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

  report(): Record<string, Record<string, number>> {
    return Object.fromEntries([...this.#seen].map(([kind, counts]) => [kind, Object.fromEntries([...counts].sort())]));
  }
}

/** RANDOM_TRACE=1 tells the course of a storm, for whoever looks for the reason of a failure. */
export function trace(what: string, details: unknown): void {
  if (process.env['RANDOM_TRACE']) process.stdout.write(`${what} ${JSON.stringify(details)}\n`);
}
