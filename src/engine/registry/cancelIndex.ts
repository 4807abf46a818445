import type { CancelRule, Definition } from '../model/index.ts';
import type { GuardOf } from './triggerIndex.ts';

/** Finds the workflows whose runs an event cancels. Empty for nearly all events, at no cost. */
export class CancelIndex {
  readonly #exact = new Map<string, CancelRule[]>();
  readonly #wildcards: { prefix: string; rule: CancelRule }[] = [];

  constructor(definitions: readonly Definition[], guardOf: GuardOf) {
    for (const definition of definitions) {
      for (const { event, if: source } of definition.cancelOn ?? []) {
        const guard = source === undefined ? undefined : guardOf(source);
        this.#add(event, { app: definition.app, workflow: definition.name, guard });
      }
    }
  }

  named(name: string): readonly CancelRule[] {
    const exact = this.#exact.get(name) ?? [];
    if (this.#wildcards.length === 0) return exact;
    return [...exact, ...this.#wildcards.flatMap(({ prefix, rule }) => (name.startsWith(prefix) ? [rule] : []))];
  }

  #add(event: string, rule: CancelRule): void {
    if (event.endsWith('*')) {
      this.#wildcards.push({ prefix: event.slice(0, -1), rule });
      return;
    }
    const same = this.#exact.get(event);
    if (same) same.push(rule);
    else this.#exact.set(event, [rule]);
  }
}
