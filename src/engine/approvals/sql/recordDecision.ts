import { instant, json, statement, text, uuid } from '../../db/index.ts';

export interface DecidedRow {
  runId: string;
  stepIndex: number;
  step: string;
  /** JSON text. */
  args: string;
  decidedAt: Date;
}

/**
 * Decides an approval if it is still open. Returns no row if a decision, a deadline or the end of
 * the run came first.
 */
export const recordDecision = statement<DecidedRow>('recordDecision').writes({
  params: {
    now: instant,
    id: uuid,
    status: text,
    decidedBy: text,
    decidedVia: text,
    editedArgs: json.orNull,
    reason: text.orNull,
  },
  text: `
    update approval set status = $status, decided_by = $decidedBy, decided_via = $decidedVia, edited_args = $editedArgs,
      decided_at = $clock, decision_reason = $reason
    where id = $id and status in ('pending', 'escalated')
    returning run_id, step_index, step, args, decided_at
  `,
});
