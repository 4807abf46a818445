import { statement } from '../../db/index.ts';

/**
 * Whether any event or end of a run has consequences that are not drawn, be it that they are being
 * drawn right now.
 */
export const hasLeftovers = statement<{ hasAny: boolean }>('hasLeftovers').reads({
  text: 'select exists (select from event_pending) or exists (select from run_outcome) as has_any',
});
