/** What lists and controls show of a run (2.4). */
export const runSummary = /* GraphQL */ `
  fragment RunSummary on Run {
    id app workflow version status triggerKind eventName eventId session runner
    replayOf parentRunId parentStep parentAttempt depth onFailureOf tags attempt
    pausedBy { reason actor }
    error { ...RunError }
    createdAt startAt startedAt endedAt durationMs
  }
  fragment RunError on ErrorDetail { name message stack }`;
