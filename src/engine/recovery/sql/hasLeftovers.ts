import { statement } from '../../db/index.ts';

/**
 * Whether any event, any wait that looks back, or any ended run has unfinished work, including work
 * in progress. Waits are looked up in order, so that the planner does not scan the table.
 */
export const hasLeftovers = statement<{ hasAny: boolean }>('hasLeftovers').reads({
  text: `
    select exists (select from event_pending) or exists (select from run_outcome)
      or (select created_at from run_wait where looks_back order by created_at limit 1) is not null as has_any
  `,
});
