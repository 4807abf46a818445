import type { Principal } from '../keys/index.ts';
import type { DecidedVia } from './approval.ts';

/** Who decides, as the approval keeps it. */
export interface Decider {
  decidedBy: string;
  decidedVia: Extract<DecidedVia, 'console' | 'mcp' | 'api'>;
}

/**
 * Who decides and through what, from how the call authenticated (4.7, 5): the person whom a platform key names, or else
 * the key. No body can say otherwise.
 */
export function deciderOf(principal: Principal, surface: 'rest' | 'graphql' | 'mcp'): Decider {
  const person = principal.kind === 'platform' ? principal.actor : undefined;
  const decidedBy = person ?? principal.keyName;
  if (surface === 'mcp') return { decidedBy, decidedVia: 'mcp' };
  return { decidedBy, decidedVia: person === undefined ? 'api' : 'console' };
}
