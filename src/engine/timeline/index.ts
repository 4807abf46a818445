export type { IngestedEvent } from './eventHub.ts';
export { type Frame, type FrameKind, frameKinds } from './frame.ts';
export { type FramesQuery, hasTimelineEnded, type RunPosition, readFrames } from './readFrames.ts';
export { type LogLine, readLogs } from './readLogs.ts';
export { redactFields } from './redact.ts';
export { endsRun, runStatusOf } from './runStatusOf.ts';
export { type EventTailQuery, tailEvents } from './tailEvents.ts';
export { type ProjectTailQuery, type RunStatusChange, tailProject } from './tailProject.ts';
export { type RunTailQuery, tailRun } from './tailRun.ts';
