export { readRunSpends } from './readRunSpends.ts';
export {
  allowanceOf,
  type Cap,
  type CappedSpend,
  noSpend,
  type RunSpend,
  withCalls,
} from './runSpend.ts';
export { insertUsage, type StepUsage } from './sql/insertUsage.ts';
export { readUsage, type Usage } from './usage.ts';
