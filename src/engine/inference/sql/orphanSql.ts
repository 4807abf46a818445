/**
 * SQL: whether the step of a call (`inference_call`) does not wait any more. The same transaction
 * writes both, so a version without model calls has ended the run.
 */
export const isOrphanSql = (call: string): string => `not exists (
      select from run_step s
      where s.run_id = ${call}.run_id and s.index = ${call}.step_index and s.attempt = ${call}.attempt and s.status = 'waiting')`;
