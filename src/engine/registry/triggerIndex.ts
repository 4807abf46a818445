import type { Definition, EventTrigger, Listener, TriggerGuard } from '../model/index.ts';

/** The guard with this source. Equal sources have one guard. */
export type GuardOf = (source: string) => TriggerGuard;

/**
 * Finds the triggers for an event (6.1). An exact name costs a lookup, and each wildcard a prefix
 * test.
 */
export class TriggerIndex {
  readonly #exact = new Map<string, Listener[]>();
  readonly #wildcards: { prefix: string; listener: Listener }[] = [];

  /** `definitions` come in the order of their ranks. */
  constructor(definitions: readonly Definition[], guardOf: GuardOf) {
    for (const [rank, definition] of definitions.entries()) {
      const { triggers } = definition;
      // 6.1: a workflow without triggers starts on events of its own name. A `*` in that name is an
      // ordinary character.
      if (!triggers) this.#addExact(definition.name, { definition, rank, guard: undefined });
      for (const trigger of triggers ?? []) {
        if ('event' in trigger) this.#add(trigger, { definition, rank, guard: guardIn(trigger, guardOf) });
      }
    }
  }

  *listeners(name: string): Iterable<Listener> {
    yield* this.#exact.get(name) ?? [];
    for (const { prefix, listener } of this.#wildcards) if (name.startsWith(prefix)) yield listener;
  }

  #add({ event }: EventTrigger, listener: Listener): void {
    if (event.endsWith('*')) this.#wildcards.push({ prefix: event.slice(0, -1), listener });
    else this.#addExact(event, listener);
  }

  #addExact(event: string, listener: Listener): void {
    const same = this.#exact.get(event);
    if (same) same.push(listener);
    else this.#exact.set(event, [listener]);
  }
}

const guardIn = (trigger: EventTrigger, guardOf: GuardOf): TriggerGuard | undefined =>
  trigger.if === undefined ? undefined : guardOf(trigger.if);
