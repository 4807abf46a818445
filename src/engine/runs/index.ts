export { boundedText } from './boundedText.ts';
export { likenessSql } from './likeness.ts';
export { type FailureGroup, type FailureGroups, readFailureGroups } from './reads/failureGroups.ts';
export { listRuns, type RunListQuery } from './reads/listRuns.ts';
export { listSessions, type SessionRow } from './reads/listSessions.ts';
export { checkLogFilter, type LogFilter, type LogQuery, readLogs } from './reads/readLogs.ts';
export { readWaits, toWait } from './reads/readWaits.ts';
export { type RunFilter, runConditions, type TagFilter } from './reads/runFilter.ts';
export { type RunOrder, type RunSort, runSorts, type SortDirection, sortDirections } from './reads/runOrder.ts';
export { copiedColumns, durationMs, type RunRow, runColumns } from './reads/runRow.ts';
export {
  maxBucketStatuses,
  type RunBucket,
  type RunStats,
  type RunStatsGroup,
  readRunStats,
  readRunStatsBy,
  readRunTimeseries,
  runGroupings,
  timeseriesInstants,
} from './reads/runStats.ts';
export { sessionSorts } from './reads/sessionKeys.ts';
export { maxSuggestedFrom, readSuggestions, suggestionKinds } from './reads/suggestions.ts';
export { countRunSteps } from './sql/countRunSteps.ts';
export {
  type RelatedRun,
  selectChildRuns,
  selectFailureHandlers,
  selectReplayRuns,
  selectStartedRuns,
} from './sql/selectRelatedRuns.ts';
export { selectRunHeads } from './sql/selectRunHeads.ts';
export { type ChildCounts, countChildRuns, selectBatchEvents, selectRootRuns } from './sql/selectRunLinks.ts';
export type { FoundLogRow, LogFrameRow } from './sql/selectRunLogs.ts';
export { type RunPayloads, selectRunPayloads } from './sql/selectRunPayloads.ts';
export { selectRunRows } from './sql/selectRunRows.ts';
export { type ScoreRow, selectRunScores } from './sql/selectRunScores.ts';
export { selectRunSeqs } from './sql/selectRunSeqs.ts';
export { beforeSteps, type ListedStep, type StepPosition, selectRunSteps } from './sql/selectRunSteps.ts';
export { selectStepHeads } from './sql/selectStepHeads.ts';
export { type StepPayloads, type StepSpan, selectStepPayloads } from './sql/selectStepPayloads.ts';
export { startedStepsSql } from './sql/startedStepsSql.ts';
export {
  isTerminal,
  openStatuses,
  type RunStatus,
  runStatuses,
  runStatusFilters,
  type StatusCounts,
  type StepStatus,
  statusCountsSql,
  stepStatuses,
  type TerminalStatus,
  type TriggerKind,
  terminalStatuses,
  triggerKinds,
} from './status.ts';
export { stepDurationMs, stepDurationSql } from './stepDuration.ts';
export { maxTags, parseTags, type Tags, tagKeyPattern } from './tags.ts';
export { successors } from './transitions.ts';
export {
  type WaitError,
  type WaitingFor,
  type WaitKind,
  waitError,
  waitKindOf,
  waitKinds,
  withoutAddresses,
} from './waiting.ts';
