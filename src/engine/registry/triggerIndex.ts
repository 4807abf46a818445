import { forEachYielding, type Guard } from '../cel/index.ts';
import type { Definition, EventTrigger, GuardEvent } from '../model/index.ts';

/** An event trigger of a workflow, with its compiled guard. */
interface Entry {
  definition: Definition;
  /** The position of the definition, by app and name. */
  rank: number;
  guard: Guard | undefined;
}

/** Compiles a guard of a definition. Undefined if that fails: then the guard never holds. */
export type CompileGuard = (definition: Definition, source: string) => Guard | undefined;

/**
 * Finds the workflows that an event starts (6.1). An exact name costs a lookup, and each wildcard a
 * prefix test. Guards run only after the name matched.
 */
export class TriggerIndex {
  readonly #exact = new Map<string, Entry[]>();
  readonly #wildcards: { prefix: string; entry: Entry }[] = [];

  /** `definitions` come in the order of the matches. */
  constructor(definitions: readonly Definition[], compile: CompileGuard) {
    for (const [rank, definition] of definitions.entries()) {
      const { triggers } = definition;
      // 6.1: a workflow without triggers starts on events of its own name. A `*` in that name is an
      // ordinary character.
      if (!triggers) this.#addExact(definition.name, { definition, rank, guard: undefined });
      for (const trigger of triggers ?? []) if ('event' in trigger) this.#add(definition, rank, trigger, compile);
    }
  }

  async match(event: GuardEvent, targetApp: string | undefined): Promise<Definition[]> {
    const matched = new Map<number, Definition>();
    await forEachYielding(this.#named(event.name), ({ rank, definition, guard }) => {
      if (definition.isRetired || (targetApp !== undefined && definition.app !== targetApp)) return;
      if (matched.has(rank)) return;
      if (!guard || guard.evaluate(event)) matched.set(rank, definition);
    });
    return [...matched].sort(([a], [b]) => a - b).map(([, definition]) => definition);
  }

  *listeners(name: string): Iterable<Definition> {
    for (const { definition } of this.#named(name)) yield definition;
  }

  *#named(name: string): Iterable<Entry> {
    yield* this.#exact.get(name) ?? [];
    for (const { prefix, entry } of this.#wildcards) if (name.startsWith(prefix)) yield entry;
  }

  #add(definition: Definition, rank: number, trigger: EventTrigger, compile: CompileGuard): void {
    const guard = trigger.if === undefined ? undefined : compile(definition, trigger.if);
    if (trigger.if !== undefined && !guard) return;
    const entry = { definition, rank, guard };
    if (trigger.event.endsWith('*')) {
      this.#wildcards.push({ prefix: trigger.event.slice(0, -1), entry });
      return;
    }
    this.#addExact(trigger.event, entry);
  }

  #addExact(event: string, entry: Entry): void {
    const same = this.#exact.get(event);
    if (same) same.push(entry);
    else this.#exact.set(event, [entry]);
  }
}
