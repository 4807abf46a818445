import { statement, text } from '../../db/index.ts';

/**
 * Makes the rest of a transaction harmless: it only reads, gives up after a while, and takes one
 * processor at most. It may scan tables, as it looks at everything.
 */
export const boundTransaction = statement<{ timeout: string }>('doctor.boundTransaction').reads({
  params: { timeout: text.of(({ timeoutMs }: { timeoutMs: number }) => String(timeoutMs)) },
  text: `
    select set_config('statement_timeout', $timeout, true) as timeout,
      set_config('lock_timeout', '1000', true),
      set_config('max_parallel_workers_per_gather', '0', true),
      set_config('jit', 'off', true),
      set_config('enable_seqscan', 'on', true),
      set_config('transaction_read_only', 'on', true)`,
});
