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
  allowanceOf,
  type Cap,
  type CappedSpend,
  noSpend,
  type RunSpend,
  readRunSpends,
  withCalls,
} from './runSpend.ts';
export { insertUsage, type StepUsage } from './sql/insertUsage.ts';
export { readUsage, type Usage } from './usage.ts';
