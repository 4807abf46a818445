import { bool, int } from '../params.ts';
import { statement } from '../statement.ts';

/**
 * Settings of a read whose text varies: planned for its values, writing nothing, and cancelled
 * after `$timeoutMs`. `$isOrdered`: it walks indexes in their order. They end with the transaction,
 * so they also work behind a transaction pooler.
 */
export const readSettings = statement('readSettings').reads({
  params: { timeoutMs: int, isOrdered: bool },
  text: `
    select set_config('transaction_read_only', 'on', true), set_config('plan_cache_mode', 'force_custom_plan', true),
      set_config('statement_timeout', $timeoutMs::text, true),
      set_config('enable_sort', case when $isOrdered then 'off' else current_setting('enable_sort') end, true),
      set_config('enable_bitmapscan', case when $isOrdered then 'off' else current_setting('enable_bitmapscan') end, true)`,
});
