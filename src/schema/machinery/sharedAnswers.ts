// Answers to the events of subscriptions.
//
// Owns: how many answers are made in one turn of the event loop, and the last answers of equal
// subscriptions.
// Does not own: the events, and the position of each subscription among them.
//
// Invariants:
// A1. An answer is shared only among subscriptions with the same key: the same caller, document and
//     variables. So it holds nothing that one of them may not read.
// A2. Only a small answer without errors is shared. A large one reserves memory for each reader,
//     and an error may concern one reader only.
import type { ExecutionResult } from 'graphql';
import { BoundedCache } from '../../engine/boundedCache.ts';
import { RawJson, stringifyRaw } from '../../engine/json/index.ts';
import { perEngine } from '../../engine/perEngine.ts';

/** Answers in one turn: 6 ms of work if none is shared. */
const answersPerTurn = 20;
const remembered = 500;
/** The same limit as for payloads that need no reservation. */
const maxSharedLength = 64 * 1024;

type Answer = () => Promise<ExecutionResult>;

export class SharedAnswers {
  readonly #pace = new Pace(answersPerTurn);
  readonly #answers = new BoundedCache<string, Promise<ExecutionResult | undefined>>(remembered);
  readonly #numbers = new WeakMap<object, number>();
  readonly #subscribers = new Map<string, number>();
  #lastNumber = 0;

  /** Counts a subscription until the returned function is called. A lone one shares nothing. */
  join(key: string): () => void {
    this.#subscribers.set(key, (this.#subscribers.get(key) ?? 0) + 1);
    let isIn = true;
    return () => {
      const left = (this.#subscribers.get(key) ?? 1) - Number(isIn);
      isIn = false;
      if (left > 0) this.#subscribers.set(key, left);
      else this.#subscribers.delete(key);
    };
  }

  /** The answer to an event: that of an equal subscription, or else a new one. */
  async answer(key: string | undefined, event: unknown, make: Answer): Promise<ExecutionResult> {
    await this.#pace.turn();
    if (key === undefined || typeof event !== 'object' || event === null) return make();
    if ((this.#subscribers.get(key) ?? 0) < 2) return make();
    const name = `${this.#numberOf(event)} ${key}`;
    const known = this.#answers.get(name);
    if (known) return (await known) ?? make();
    const made = make();
    const shared = made.then(shareable, () => undefined);
    this.#answers.set(name, shared);
    return (await shared) ?? made;
  }

  /** Equal subscriptions follow the same object. */
  #numberOf(event: object): number {
    const known = this.#numbers.get(event);
    if (known !== undefined) return known;
    this.#lastNumber += 1;
    this.#numbers.set(event, this.#lastNumber);
    return this.#lastNumber;
  }
}

/** A2. The answer as text, so that it is encoded once; undefined if it is not shared. */
function shareable({ data, errors }: ExecutionResult): ExecutionResult | undefined {
  if (!data || errors) return undefined;
  const texts = Object.entries(data).map(([name, value]) => [name, stringifyRaw(value ?? null)] as const);
  if (texts.reduce((sum, [, text]) => sum + text.length, 0) > maxSharedLength) return undefined;
  return { data: Object.fromEntries(texts.map(([name, text]) => [name, RawJson.trusted(text)])) };
}

/** Spreads work over turns of the event loop, first come, first served. */
class Pace {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #left: number;
  #isCounting = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  turn(): Promise<void> | undefined {
    this.#count();
    if (this.#left > 0) {
      this.#left -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #count(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isCounting = false;
    const next = this.#waiting.splice(0, this.#perTurn);
    this.#left = this.#perTurn - next.length;
    if (next.length > 0) this.#count();
    for (const resolve of next) resolve();
  }
}

/** Shared by all subscriptions of an engine. */
export const sharedAnswers = perEngine(() => new SharedAnswers());
