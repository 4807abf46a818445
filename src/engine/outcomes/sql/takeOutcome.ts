import { statement } from '../../db/statement.ts';

/** Declares the consequences of a run drawn. No row: somebody else did. */
export const takeOutcome = statement<{ runId: string }, { run_id: string }>({
  name: 'takeOutcome',
  writes: true,
  text: 'delete from run_outcome where run_id = $1 returning run_id',
  values: ({ runId }) => [runId],
});
