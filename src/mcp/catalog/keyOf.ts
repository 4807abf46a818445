import type { Principal } from '../../engine/keys/index.ts';

/** The key of a caller, as the engine records it: its id, or `operator`. */
export const keyOf = (principal: Principal): string =>
  principal.kind === 'operator' ? principal.kind : principal.keyId;
