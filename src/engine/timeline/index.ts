export { Followers } from './followers.ts';
export { logPayload, statusPayload, stepPayload } from './framePayload.ts';
export { type Journal, type JournalReader, JournalTail } from './journalTail.ts';
export { burst, Mailbox } from './mailbox.ts';
export { Poller } from './poller.ts';
export { isSensitiveName, redactFields } from './redact.ts';
export { checkPosition, type RunTailQuery, tailRun } from './runTail.ts';
export {
  endedPayloadSql,
  endedStepPayloadSql,
  pausedPayloadSql,
  statusOfSql,
  statusPayloadSql,
  stepPayloadSql,
  waitingForSql,
  waitingPayloadSql,
  warningPayloadSql,
  withNextAttemptSql,
  withUntilSql,
} from './sql/framePayloadSql.ts';
export { readInstant } from './sql/readInstant.ts';
export { type ProjectTailQuery, type RunStatusChange, tailProject } from './statusHub.ts';
export { heldChanges } from './statusLog.ts';
export {
  changeIntervals,
  maxChanges,
  type StatusChanges,
  tailStatusChanges,
} from './tailStatusChanges.ts';
export { longestPatienceMs, longestWaitMs, untilEnded } from './untilEnded.ts';
