export { burst, Mailbox } from './mailbox.ts';
export { Poller } from './poller.ts';
export { type FramesQuery, hasTimelineEnded, type RunPosition, readFrames } from './readFrames.ts';
export { type LogLine, readLogs } from './readLogs.ts';
export { redactFields } from './redact.ts';
export { type RunTailQuery, tailRun } from './runTail.ts';
export { type ProjectTailQuery, type RunStatusChange, tailProject } from './statusHub.ts';
export { longestWaitMs, untilEnded } from './untilEnded.ts';
