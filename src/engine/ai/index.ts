export {
  readSpend,
  type SpendByBucket,
  type SpendByModel,
  type SpendByWorkflow,
  type SpendFigures,
  type SpendReport,
  spendRowLimits,
} from './reads/readSpend.ts';
export {
  allowanceOf,
  type Cap,
  type CappedSpend,
  noSpend,
  readRunSpends,
  withCalls,
} from './runSpend.ts';
export { insertUsage } from './sql/insertUsage.ts';
export { readUsage, type Usage } from './usage.ts';
