import { type Duration, durationMs } from '../duration.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, checkText } from '../misuse.ts';
import type { ApprovalOpcode } from '../protocol.ts';
import { report } from './opcodeText.ts';
import type { StepWork } from './pass.ts';
import { changedKind, hasKeys } from './saved.ts';

export interface ApprovalOptions<Args = unknown> extends ApprovalQuestion {
  /** Its arguments, which whoever decides may edit. */
  args: Args;
}

/** All that a question holds but the arguments, of which there may be none. */
export interface ApprovalQuestion {
  /** The action that is proposed. */
  tool: string;
  /** How dangerous it is, in your own words. */
  risk?: string | undefined;
  /** The rule that asks for the approval. */
  policy?: string | undefined;
  /** What it is about, in a sentence. */
  summary?: string | undefined;
  /** What else somebody who decides should know. */
  context?: string | undefined;
  /** Who is to be asked when the time-out passes. */
  escalatesTo?: string | undefined;
  /** Default: the question stays open. */
  timeout?: Duration | undefined;
  /**
   * What happens to an open question when the time-out passes. `escalate` (the default): it goes to
   * `escalatesTo` and stays open. `approve`, `reject`: it is decided. `fail`: the step throws an
   * error named `ApprovalTimeoutError`.
   */
  onTimeout?: 'escalate' | 'approve' | 'reject' | 'fail' | undefined;
}

/** What was decided. A denial is a decision, not an error. */
export interface ApprovalDecision<Args = unknown> {
  readonly status: 'approved' | 'denied';
  /** The arguments to act with: the edited ones where there are any. */
  readonly args: Args;
  /**
   * As whoever decided wrote them: nobody has checked them against the type. Absent where nothing
   * was edited.
   */
  readonly editedArgs?: Args;
  /** A person, the name of an API key, or `system:timeout`. */
  readonly decidedBy: string;
  readonly decidedVia: 'console' | 'mcp' | 'api' | 'timeout' | 'unrecorded';
  /** RFC 3339, UTC. */
  readonly decidedAt: string;
}

export function approvalWork<Decision>(
  step: string,
  options: ApprovalQuestion & { args?: unknown },
): StepWork<Decision> {
  checkFields(options, `step "${step}" needs what it asks for, such as { tool: 'refund', args: … }`);
  checkText(options.tool, `the tool of step "${step}"`);
  const { args, timeout, ...annotations } = options;
  const proposal: Omit<ApprovalOpcode, 'op' | 'id' | 'name'> = {
    ...annotations,
    ...(timeout !== undefined && { timeoutMs: durationMs(timeout, `the timeout of step "${step}"`) }),
  };
  return {
    kind: 'Approval',
    read(saved, name) {
      if (hasKeys(saved, 'decidedBy')) return asDeclared(saved);
      throw changedKind(name, 'an approval');
    },
    perform: (name, id) => report({ op: 'Approval', id, name, ...proposal }, false, { data: args }),
  };
}
