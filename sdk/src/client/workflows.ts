import { asDeclared } from '../json/asDeclared.ts';
import type { FieldsOf } from '../knownFields.ts';
import { checkFields, checkText } from '../misuse.ts';
import type { AnyWorkflow, InputOf, ResultOf } from '../workflow.ts';
import { checkInput } from '../workflowInput.ts';
import type { Api } from './api.ts';
import { body } from './body.ts';
import type { Triggered } from './records.ts';
import { isTriggered } from './shapes.ts';

export interface TriggerOptions<Input = unknown> {
  /** The data of the run's event. */
  input?: Input | undefined;
  /** The name of the run's event: only a label. Default: the workflow's name. */
  eventName?: string | undefined;
  /** A repeat of the same id within 24 hours starts nothing. */
  dedupeId?: string | undefined;
  /** Pin the run to this runner. */
  runner?: string | undefined;
  tags?: Record<string, string> | undefined;
}

/** The input is required if the workflow declares its type. */
export type TriggerArguments<Input> = undefined extends Input
  ? [options?: TriggerOptions<Input>]
  : [options: TriggerOptions<Input> & { input: Input }];

/** Names a workflow without importing it. `app` defaults to the client's app. */
export interface WorkflowAddress {
  app?: string | undefined;
  name: string;
  /** Separates an address from a typed workflow. */
  definition?: never;
}

const triggerFields: FieldsOf<TriggerOptions> = {
  input: true,
  eventName: true,
  dedupeId: true,
  runner: true,
  tags: true,
};

export class WorkflowsClient {
  readonly #api: Api;
  readonly #app: string;

  constructor(api: Api, app: string) {
    this.#api = api;
    this.#app = app;
  }

  /**
   * Starts one run, whatever the workflow's triggers are. Resolves when the run is queued. Rejects
   * with an `EventSchemaError`, and starts nothing, if the input fits no schema of the triggers.
   */
  async trigger<W extends AnyWorkflow | WorkflowAddress>(
    workflow: W,
    ...[options = {}]: TriggerArguments<InputOf<W>>
  ): Promise<Triggered<ResultOf<W>>> {
    checkFields(workflow, 'workflows.trigger needs a workflow: what hf.workflow() gives, or { app?, name }');
    checkText(workflow.name, 'the name of the workflow to trigger');
    const { input, ...rest }: TriggerOptions = options;
    this.#api.warnOfUnknown('workflows.trigger', options, triggerFields);
    checkInput(workflow, input, 'input');
    const path = [workflow.app ?? this.#app, workflow.name].map(encodeURIComponent).join('/');
    const answer = await this.#api.post(`/workflows/${path}/trigger`, isTriggered, {
      body: body('the input of the run', rest, { input }),
    });
    return asDeclared(answer.body);
  }
}
