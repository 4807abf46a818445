export { Notifier } from './notifier.ts';
