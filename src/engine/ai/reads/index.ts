export {
  readSpend,
  type Spend,
  type SpendByBucket,
  type SpendByModel,
  type SpendByWorkflow,
  type SpendFigures,
  type SpendQuery,
  spendRowLimits,
} from './readSpend.ts';
