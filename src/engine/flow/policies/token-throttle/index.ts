export { debitTokens } from './sql/debitTokens.ts';
export { heldUntil } from './sql/heldUntil.ts';
export { tokenThrottle } from './tokenThrottle.ts';
