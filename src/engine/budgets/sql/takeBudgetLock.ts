import { statement } from '../../db/statement.ts';

/**
 * Lets one scheduler at a time look at the budgets; the others have nothing to do. Lasts as long as the transaction, which ends
 * by itself when its process has stopped in the middle of it.
 */
export const takeBudgetLock = statement<void, { is_taken: boolean }>({
  name: 'takeBudgetLock',
  writes: false,
  text: `
    select set_config('idle_in_transaction_session_timeout', '10000', true),
      pg_try_advisory_xact_lock(hashtextextended('holdfast budgets', 0)) as is_taken
  `,
  values: () => [],
});
