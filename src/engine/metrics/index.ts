export { queueDepths } from './queueDepths.ts';
export type { WorkCount } from './sql/countWork.ts';
