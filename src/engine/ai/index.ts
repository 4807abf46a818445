export {
  readSpend,
  type SpendByBucket,
  type SpendByModel,
  type SpendByWorkflow,
  type SpendFigures,
  type SpendReport,
  spendRowLimits,
} from './reads/readSpend.ts';
export { amendRecorded, type RecordedCall, recordUsage, type Spender } from './recordUsage.ts';
export {
  allowanceOf,
  type Cap,
  type CappedSpend,
  noSpend,
  readRunSpends,
  withCalls,
} from './runSpend.ts';
export { readUsage, type Usage } from './usage.ts';
