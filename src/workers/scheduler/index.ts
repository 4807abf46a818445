export { Scheduler } from './scheduler.ts';
