import { statement } from '../../../../db/index.ts';

/** Lets one scheduler at a time check the budgets, until the end of the transaction. */
export const takeBudgetLock = statement<{ isTaken: boolean }>('takeBudgetLock').reads({
  text: "select pg_try_advisory_xact_lock(hashtextextended('holdfast budgets', 0)) as is_taken",
});
