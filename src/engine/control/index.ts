export { cancelRun } from './cancelRun.ts';
