export { countRunSteps } from '../sql/countRunSteps.ts';
export { type RelatedRun, selectChildRuns, selectReplayRuns } from '../sql/selectRelatedRuns.ts';
export { type LogFrameRow, selectRunLogs } from '../sql/selectRunLogs.ts';
export { selectRunPayloads } from '../sql/selectRunPayloads.ts';
export { selectRunRows } from '../sql/selectRunRows.ts';
export { type ScoreRow, selectRunScores } from '../sql/selectRunScores.ts';
export { beforeSteps, type StepPosition, type StepRow, selectRunSteps } from '../sql/selectRunSteps.ts';
export { type StepPayloads, type StepSpan, selectStepPayloads } from '../sql/selectStepPayloads.ts';
export { stepDurationMs } from '../stepDuration.ts';
export { listRuns, type RunListQuery } from './listRuns.ts';
export { listSessions, type SessionRow } from './listSessions.ts';
export { type RunFilter, runConditions, type TagFilter } from './runFilter.ts';
export { type RunOrder, type RunSort, runSorts, type SortDirection, sortDirections } from './runOrder.ts';
export { durationMs, type RunRow } from './runRow.ts';
export {
  maxBucketStatuses,
  type RunBucket,
  type RunStats,
  readRunStats,
  readRunTimeseries,
} from './runStats.ts';
export type { StatusCounts } from './statusCounts.ts';
