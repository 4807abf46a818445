export { Dispatcher, type DispatcherStats } from './dispatcher.ts';
export type { DispatcherOptions } from './options.ts';
