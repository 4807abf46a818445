export {
  readSpend,
  type SpendByBucket,
  type SpendByModel,
  type SpendByWorkflow,
  type SpendFigures,
  type SpendQuery,
  type SpendReport,
  spendRowLimits,
} from './reads/readSpend.ts';
export {
  maxHoursAndModels,
  readSpendByHourAndModel,
  readSpendByRun,
  readSpendBySession,
  type SpendByHourAndModel,
  type SpendByRun,
  type SpendBySession,
} from './reads/readSpendDetail.ts';
export { amendRecorded, type RecordedCall, recordUsage, type Spender } from './recordUsage.ts';
export {
  allowanceOf,
  type Cap,
  type CappedSpend,
  noSpend,
  readRunSpends,
  withCalls,
} from './runSpend.ts';
export { type RunUsage, sumRunUsage } from './sql/sumRunUsage.ts';
export { readUsage, type Usage } from './usage.ts';
