import { statement } from '../../db/index.ts';

/**
 * Makes the rest of a transaction harmless: it only reads, gives up after a while, and takes one processor at most. Whoever looks
 * at everything may scan.
 */
export const boundTransaction = statement<{ timeoutMs: number }, { timeout: string }>({
  name: 'doctor.boundTransaction',
  writes: false,
  text: `
    select set_config('statement_timeout', $1, true) as timeout,
      set_config('lock_timeout', '1000', true),
      set_config('max_parallel_workers_per_gather', '0', true),
      set_config('jit', 'off', true),
      set_config('enable_seqscan', 'on', true),
      set_config('transaction_read_only', 'on', true)`,
  values: ({ timeoutMs }) => [String(timeoutMs)],
});
