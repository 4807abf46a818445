import { bool, int } from '../params.ts';
import { statement } from '../statement.ts';

/**
 * Settings of a read whose text varies: it writes nothing, and is cancelled after `$timeoutMs`.
 * `$isPlanned`: it is planned for its values. `$isOrdered`: it walks indexes in their order. They
 * end with the transaction, so they also work behind a transaction pooler.
 */
export const readSettings = statement('readSettings').reads({
  params: { timeoutMs: int, isPlanned: bool, isOrdered: bool },
  text: `
    select set_config('transaction_read_only', 'on', true), set_config('plan_cache_mode',
        case when $isPlanned then 'force_custom_plan' else current_setting('plan_cache_mode') end, true),
      set_config('statement_timeout', $timeoutMs::text, true),
      set_config('enable_sort', case when $isOrdered then 'off' else current_setting('enable_sort') end, true),
      set_config('enable_bitmapscan', case when $isOrdered then 'off' else current_setting('enable_bitmapscan') end, true)`,
});
