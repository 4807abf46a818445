import { perEngine } from '../perEngine.ts';
import type { SendEnding, SendUsage } from './modelAnswer.ts';

/** The most names of a label; all further ones count as `other`. */
export const maxNames = 50;
export const otherName = 'other';

export interface Tokens {
  in: number;
  out: number;
}

export type SendOutcome = SendEnding['outcome'];

/** Counts the model calls of this process, for metrics. Names come from runners. */
export class InferenceTally {
  /** Requests that have not ended. */
  inFlight = 0;
  /** Answers that came from the cache. */
  cacheHits = 0;
  readonly #sends = new Map<string, Map<SendOutcome, number>>();
  readonly #holds = new Map<string, number>();
  readonly #tokens = new Map<string, Tokens>();

  /** Sends since the process started, by provider and outcome. */
  get sends(): ReadonlyMap<string, ReadonlyMap<SendOutcome, number>> {
    return this.#sends;
  }

  /** Answers that held a lane, by provider. */
  get holds(): ReadonlyMap<string, number> {
    return this.#holds;
  }

  /** By model. */
  get tokens(): ReadonlyMap<string, Tokens> {
    return this.#tokens;
  }

  ended({ provider, model, outcome, usage }: EndedCall): void {
    const sends = entryOf(this.#sends, provider, () => new Map<SendOutcome, number>());
    sends.set(outcome, (sends.get(outcome) ?? 0) + 1);
    const { tokensIn, tokensOut } = usage;
    if (tokensIn === undefined && tokensOut === undefined) return;
    const tokens = entryOf(this.#tokens, model, () => ({ in: 0, out: 0 }));
    tokens.in += tokensIn ?? 0;
    tokens.out += tokensOut ?? 0;
  }

  held(provider: string): void {
    const name = nameIn(this.#holds, provider);
    this.#holds.set(name, (this.#holds.get(name) ?? 0) + 1);
  }
}

export interface EndedCall {
  provider: string;
  model: string;
  outcome: SendOutcome;
  usage: SendUsage;
}

const nameIn = (known: ReadonlyMap<string, unknown>, name: string): string =>
  known.has(name) || known.size < maxNames ? name : otherName;

function entryOf<Entry>(known: Map<string, Entry>, given: string, make: () => Entry): Entry {
  const name = nameIn(known, given);
  const entry = known.get(name) ?? make();
  known.set(name, entry);
  return entry;
}

export const inferenceTally = perEngine(() => new InferenceTally());
