import { instant, statement } from '../../db/index.ts';

interface WorkCount {
  state: string;
  /** The limit that gated runs wait for; null for others. */
  gate: 'slot' | 'ceiling' | null;
  runs: number;
  /** Due runs, which wait for the next look at the clock. */
  due: number;
}

/**
 * Unfinished runs of all projects, by the state of their work and by their gate. The query reads
 * the whole queue in one pass: about 50 ms for a million rows, so operators ask it seldom.
 */
export const countWork = statement<WorkCount>('countWork').reads({
  params: { now: instant },
  text: `
    select state, gate, count(*) as runs, count(*) filter (where due_at <= $now) as due
    from run_work
    group by state, gate`,
});
