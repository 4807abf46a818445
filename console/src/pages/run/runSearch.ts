import { count, type Infer, object, oneOf, range, readBy, text } from '../../router/searchFields.ts';

const runSearch = object({
  tab: oneOf(['timeline', 'logs', 'payloads', 'relations', 'history']),
  /** The chosen step: `<index>.<attempt>`. */
  step: text,
  /** Whether long waits are folded: `on`, `off`, or by the timeline itself. */
  fold: oneOf(['on', 'off']),
  /** The time that is shown, in ms since the run was made: `1200-5400`, or `1200-` to the end. */
  range,
  kind: text,
  find: text,
  only: oneOf(['failed', 'unfinished']),
  /** Only steps that took at least so many attempts. */
  attempts: count,
  scope: text,
  level: oneOf(['debug', 'info', 'warn', 'error']),
  /** The order of log lines: oldest first, unless it says so. */
  order: oneOf(['newest']),
  /** The end from which log lines are read: the last line, unless it says so. */
  from: oneOf(['first']),
});

export type RunSearch = Infer<typeof runSearch>;
export const readRunSearch = readBy(runSearch);
