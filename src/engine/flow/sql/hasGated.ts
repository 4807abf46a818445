/**
 * Whether some run waits for the slot: then one that comes now lines up behind it. A hint only: who
 * lines up looks for room after its commit (`openGates`), and the claim decides under the slot's
 * lock.
 */
export const hasGated = (slot: string): string =>
  `exists (select from run_work waiting where waiting.slot = ${slot} and waiting.state = 'gated')`;
