import { statement } from '../../db/index.ts';

/** Lets one scheduler at a time look at the budgets; the others have nothing to do. Lasts as long as the transaction. */
export const takeBudgetLock = statement<void, { is_taken: boolean }>({
  name: 'takeBudgetLock',
  writes: false,
  text: "select pg_try_advisory_xact_lock(hashtextextended('holdfast budgets', 0)) as is_taken",
  values: () => [],
});
