import type { ApprovalDecision } from './approval.ts';

interface Decided {
  status: ApprovalDecision;
  /** JSON texts: what was proposed, and what the decider made of it. */
  args: string;
  editedArgs: string | undefined;
  decidedBy: string;
  decidedVia: string;
  decidedAt: Date;
}

/**
 * What the handler receives for a decision, as JSON text. `args` are those to act on: the
 * decider's, where there are any. `status` comes first: the doctor reads it without parsing what
 * follows.
 */
export function decisionMemo({ status, args, editedArgs, decidedBy, decidedVia, decidedAt }: Decided): string {
  const edited = editedArgs === undefined ? '' : `,"editedArgs":${editedArgs}`;
  const by = JSON.stringify({ decidedBy, decidedVia, decidedAt });
  return `{"status":"${status}","args":${editedArgs ?? args}${edited},${by.slice(1)}`;
}
