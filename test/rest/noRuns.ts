/** The counts of no runs, under the contract's names of the eight statuses (3.1). */
export const noRuns = {
  queued: 0,
  running: 0,
  waiting: 0,
  paused: 0,
  needs_attention: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
};
