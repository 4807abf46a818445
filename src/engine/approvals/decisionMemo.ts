import type { ApprovalDecision } from './approval.ts';

interface Decided {
  status: ApprovalDecision;
  /** JSON texts: the proposed and the edited arguments. */
  args: string;
  editedArgs: string | undefined;
  decidedBy: string;
  decidedVia: string;
  decidedAt: Date;
  reason?: string | undefined;
}

/**
 * The result of the step, as JSON text. `args` are the edited arguments, or else the proposed ones.
 * `status` comes first, because the doctor reads it without parsing the rest.
 */
export function decisionMemo({ status, args, editedArgs, decidedBy, decidedVia, decidedAt, reason }: Decided): string {
  const edited = editedArgs === undefined ? '' : `,"editedArgs":${editedArgs}`;
  const by = JSON.stringify({ decidedBy, decidedVia, decidedAt, reason });
  return `{"status":"${status}","args":${editedArgs ?? args}${edited},${by.slice(1)}`;
}
