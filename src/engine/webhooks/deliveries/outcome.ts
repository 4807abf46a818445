/** The outcome of one attempt of a delivery (2.9). */
export const attemptOutcomes = ['succeeded', 'http_error', 'timeout', 'connection_error', 'skipped'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];
