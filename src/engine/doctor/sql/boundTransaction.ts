import { statement, text } from '../../db/index.ts';

/**
 * Limits the rest of a transaction: it only reads, times out, and uses one processor at most. Scans
 * of tables are allowed, because it reads everything.
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
