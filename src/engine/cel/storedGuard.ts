import type { GuardEvent, GuardRun } from '../model/index.ts';
import { compileGuard, type Guard, type GuardLimits, type OnFault } from './guard.ts';

/**
 * A guard that was valid when it was registered. It is compiled when an event first needs it,
 * because a project may have thousands. If a lowered limit makes it invalid, it evaluates to false.
 */
export class StoredGuard {
  readonly source: string;
  readonly #limits: GuardLimits;
  readonly #withRun: boolean;
  #compiled: Pick<Guard, 'evaluate'> | undefined;

  constructor(source: string, limits: GuardLimits, { withRun = false } = {}) {
    this.source = source;
    this.#limits = limits;
    this.#withRun = withRun;
  }

  /** `onFault` hears why the guard is false, if the event is not the reason. */
  evaluate(event: GuardEvent, onFault?: OnFault, run?: GuardRun): boolean {
    this.#compiled ??= this.#compile();
    return this.#compiled.evaluate(event, onFault, run);
  }

  #compile(): Pick<Guard, 'evaluate'> {
    try {
      return compileGuard(this.source, this.#limits, { withRun: this.#withRun });
    } catch (error) {
      const reason = `does not compile: ${error instanceof Error ? error.message : 'malformed'}`;
      return {
        evaluate: (_event, onFault) => {
          onFault?.(reason);
          return false;
        },
      };
    }
  }
}

/** Evaluates guards on one event. Equal guards are evaluated once. */
export class EventGuards {
  readonly #makeEvent: () => GuardEvent;
  readonly #verdicts = new Map<string, { holds: boolean; fault: string | undefined }>();
  #event: GuardEvent | undefined;

  /** The event is made for the first guard. */
  constructor(makeEvent: () => GuardEvent) {
    this.#makeEvent = makeEvent;
  }

  holds(guard: Pick<Guard, 'source' | 'evaluate'>, onFault: OnFault): boolean {
    let verdict = this.#verdicts.get(guard.source);
    if (!verdict) {
      this.#event ??= this.#makeEvent();
      let fault: string | undefined;
      const holds = guard.evaluate(this.#event, (reason) => {
        fault = reason;
      });
      verdict = { holds, fault };
      this.#verdicts.set(guard.source, verdict);
    }
    if (verdict.fault !== undefined) onFault(verdict.fault);
    return verdict.holds;
  }
}
