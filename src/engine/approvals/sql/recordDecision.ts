import { statement } from '../../db/index.ts';
import type { Decision } from '../approval.ts';

interface Params {
  id: string;
  status: Decision;
  decidedBy: string;
  decidedVia: string;
  /** JSON text. */
  editedArgs: string | undefined;
  now: Date | null;
}

export interface DecidedRow {
  run_id: string;
  step_index: number;
  step: string;
  /** JSON text. */
  args: string;
  decided_at: Date;
}

/** Decides an approval if it is still open. No row: a decision, a deadline or the end of the run came first. */
export const recordDecision = statement<Params, DecidedRow>({
  name: 'recordDecision',
  writes: true,
  text: `
    update approval set status = $2, decided_by = $3, decided_via = $4, edited_args = $5::json,
      decided_at = coalesce($6::timestamptz, clock_timestamp())
    where id = $1 and status in ('pending', 'escalated')
    returning run_id, step_index, step, args, decided_at
  `,
  values: ({ id, status, decidedBy, decidedVia, editedArgs, now }) => [
    id,
    status,
    decidedBy,
    decidedVia,
    editedArgs ?? null,
    now,
  ],
});
