export { heldUntil } from './sql/heldUntil.ts';
export { debitSpent, tokenThrottle } from './tokenThrottle.ts';
