import type { WorkflowAddress } from '../client/workflows.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, checkText } from '../misuse.ts';
import type { AnyWorkflow, InputOf, ResultOf } from '../workflow.ts';
import { checkInput } from '../workflowInput.ts';
import { report } from './opcodeText.ts';
import type { StepWork } from './pass.ts';

interface ChildRunOptions {
  /** Pin the child to this runner. Default: the parent's pin, within the same app. */
  runner?: string | undefined;
  /** Added to the parent's tags, which the child inherits. */
  tags?: Record<string, string> | undefined;
}

export interface ChildOptions<Data = unknown> extends ChildRunOptions {
  /** The data of the child's event. Default: `{}`. */
  data?: Data | undefined;
}

/** The data is required if the workflow declares its type. */
export type ChildArguments<Input> = undefined extends Input
  ? [options?: ChildOptions]
  : [options: ChildRunOptions & { data: Input }];

/**
 * Runs another workflow as a child of this run, and waits for its result. An address without `app`
 * prefers this app's workflow over another app's.
 */
export type RunWorkflow = <W extends AnyWorkflow | WorkflowAddress>(
  id: string,
  workflow: W,
  ...options: ChildArguments<InputOf<W>>
) => Promise<ResultOf<W>>;

export function childWork(
  step: string,
  workflow: { app?: string | undefined; name: string },
  options: ChildOptions,
): StepWork<never> {
  checkFields(workflow, `step "${step}" needs a workflow: what hf.workflow() gives, or { app?, name }`);
  checkText(workflow.name, `the name of the workflow of step "${step}"`);
  const { data, runner, tags } = options;
  const address = {
    childName: workflow.name,
    ...(workflow.app !== undefined && { childApp: workflow.app }),
    ...(runner !== undefined && { childRunner: runner }),
    ...(tags !== undefined && { childTags: tags }),
  };
  return {
    kind: 'RunWorkflow',
    read: (result) => asDeclared(result),
    perform(name, id) {
      checkInput(workflow, data, 'data');
      return report({ op: 'RunWorkflow', id, name, ...address }, false, { childData: data });
    },
  };
}
