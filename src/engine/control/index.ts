export { type BulkCounts, bulkCancelRuns, bulkReplayRuns } from './bulkRuns.ts';
export { cancelRun } from './cancelRun.ts';
export { type BulkFilter, bulkCeiling } from './matchRuns.ts';
export { pauseRun } from './pauseRun.ts';
export { type BulkPreview, previewBulkCancel, previewBulkReplay } from './previewBulk.ts';
export { replayRun, retryRunFromStep } from './replayRun.ts';
export { resumeRun } from './resumeRun.ts';
export { restoreWorkflow, retireWorkflow } from './retireWorkflow.ts';
export type { ControlCall } from './target.ts';
