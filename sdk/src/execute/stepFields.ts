import type { FieldsOf } from '../knownFields.ts';
import type { ApprovalOptions } from './approvalStep.ts';
import type { ChildOptions } from './childStep.ts';
import type { StepOptions } from './runStep.ts';
import type { EmitOptions, WaitOptions } from './stepTools.ts';
import type { WebhookOptions } from './webhookStep.ts';

interface Options {
  readonly run: StepOptions & { input: unknown };
  readonly waitForEvent: WaitOptions<unknown>;
  readonly emit: EmitOptions;
  readonly runWorkflow: ChildOptions;
  readonly approval: ApprovalOptions;
  readonly webhook: WebhookOptions;
}

/** The fields that the options of each kind of step may have. */
export const stepFields: { readonly [Kind in keyof Options]: FieldsOf<Options[Kind]> } = {
  run: { input: true, timeout: true, retry: true },
  waitForEvent: { event: true, if: true, timeout: true, since: true },
  emit: { name: true, data: true, dedupeId: true, targetApp: true, tags: true, session: true },
  runWorkflow: { data: true, runner: true, tags: true },
  approval: {
    tool: true,
    args: true,
    risk: true,
    policy: true,
    summary: true,
    context: true,
    escalatesTo: true,
    timeout: true,
    onTimeout: true,
  },
  webhook: { url: true, data: true },
};
