import type { Transaction } from './db/index.ts';

/** An agent's call: its client and its key. The audit log and decisions look at it. */
export interface CallOrigin {
  via: 'mcp';
  /** The program that calls, by its own word. */
  client: { name?: string | undefined; version?: string | undefined };
  /** The id of the key, or `operator`. */
  key: string;
  /** Whether the key may decide on runs that it started. */
  decidesOwn: boolean;
  /** Whether the person before the client was asked, and agreed. */
  asked?: boolean;
  /** Makes the first transaction of the operation take effect once. */
  once?: Once | undefined;
}

/** The claim that lets a write act once. */
export interface Once {
  /** Runs a transaction of the operation, with the claim in it. Throws if another call holds it. */
  within<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Names the outcome, within the transaction: a repeat is answered with it. */
  note(done: Readonly<Record<string, unknown>>): void;
}
