import { statement } from '../../db/index.ts';

/** Whether any event or ended run has unfinished consequences, including work in progress. */
export const hasLeftovers = statement<{ hasAny: boolean }>('hasLeftovers').reads({
  text: 'select exists (select from event_pending) or exists (select from run_outcome) as has_any',
});
