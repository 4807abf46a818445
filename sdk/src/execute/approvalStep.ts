import { type Duration, durationMs } from '../duration.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, checkText } from '../misuse.ts';
import type { ApprovalOpcode } from '../protocol.ts';
import { report } from './opcodeText.ts';
import type { StepWork } from './pass.ts';
import { changedKind, hasKeys } from './saved.ts';

export interface ApprovalOptions<Args = unknown> extends ApprovalQuestion {
  /** The arguments of the action. The person who decides may edit them. */
  args: Args;
}

/** A question without its arguments. */
export interface ApprovalQuestion {
  /** The proposed action. */
  tool: string;
  /** How dangerous the action is, in your own words. */
  risk?: string | undefined;
  /** The rule that requires the approval. */
  policy?: string | undefined;
  /** The question in a sentence. */
  summary?: string | undefined;
  /** Further facts for the decision. */
  context?: string | undefined;
  /** The person to ask when the timeout passes. */
  escalatesTo?: string | undefined;
  /** Default: the question stays open. */
  timeout?: Duration | undefined;
  /**
   * The effect of the timeout. `escalate` (the default) passes the open question to
   * `escalatesTo`. `approve` and `reject` decide it. `fail` throws an error named
   * `ApprovalTimeoutError`.
   */
  onTimeout?: 'escalate' | 'approve' | 'reject' | 'fail' | undefined;
}

/** The outcome of an approval. A denial is a decision, not an error. */
export interface ApprovalDecision<Args = unknown> {
  readonly status: 'approved' | 'denied';
  /** The arguments to act with: the edited ones, if there are any. */
  readonly args: Args;
  /** The edited arguments, not checked against the type; absent if nothing was edited. */
  readonly editedArgs?: Args;
  /** A person, the name of an API key, or `system:timeout`. */
  readonly decidedBy: string;
  readonly decidedVia: 'console' | 'mcp' | 'api' | 'timeout' | 'unrecorded';
  /** RFC 3339, UTC. */
  readonly decidedAt: string;
  /** Why, if the decider gave a reason. */
  readonly reason?: string;
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
