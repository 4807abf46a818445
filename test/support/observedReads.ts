import type pg from 'pg';
import type { EngineContext } from '../../src/engine/context.ts';
import type { Queryable, ReadQuery, Transaction, TripPart } from '../../src/engine/db/index.ts';

/** The transaction has the settings of the read. Calls `read` once. */
export type ObserveRead = (tx: Transaction, read: () => Promise<void>, query: ReadQuery) => Promise<void>;

/**
 * The engine, with each `plannedRead` or `orderedRead` in a transaction that `observe` looks into.
 */
export function withObservedReads(engine: EngineContext, observe: ObserveRead): EngineContext {
  const { db } = engine;
  const query = (sent: unknown): unknown => {
    const parts = partsOf(sent);
    return parts ? inTransaction(parts) : db.query(sent as never);
  };
  const inTransaction = ([settings, read]: ReadTrip) =>
    db.transaction(async (tx) => {
      await tx.query(settings as never);
      let rows: unknown[] = [];
      const perform = async (): Promise<void> => {
        rows = (await tx.query<pg.QueryResultRow>({ ...read })).rows;
      };
      await observe(tx, perform, read);
      return { rows: [{ answers: [[], rows] }] };
    });
  return { ...engine, db: { ...db, query: query as Queryable['query'] } };
}

type ReadTrip = readonly [settings: TripPart<object>, read: ReadQuery];

const partsOf = (sent: unknown): ReadTrip | undefined =>
  typeof sent === 'object' && sent !== null && 'parts' in sent ? (sent.parts as ReadTrip) : undefined;
