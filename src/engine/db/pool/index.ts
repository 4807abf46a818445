export { assertDurable, DurabilityError } from './durability.ts';
export { openDatabase } from './open.ts';
export { withStartupLock } from './startupLock.ts';
