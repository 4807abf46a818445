import { AiClient } from './client/ai.ts';
import { Api } from './client/api.ts';
import { ApprovalsClient } from './client/approvals.ts';
import { EventsClient } from './client/events.ts';
import { AppsClient, ControlActionsClient, RunnersClient, SessionsClient } from './client/lists.ts';
import { RunsClient } from './client/runs.ts';
import { WebhooksClient } from './client/webhooks.ts';
import { WorkflowsClient } from './client/workflows.ts';
import { type ClientOptions, Config, type LibraryLogger } from './config.ts';
import { type ConnectOptions, connect } from './connect/connect.ts';
import type { Connection } from './connect/connection.ts';
import type { Invoke } from './connect/requestProcessor.ts';
import type { PassReply } from './execute/answer.ts';
import { Leftovers } from './execute/leftovers.ts';
import { beginPass } from './execute/runPass.ts';
import type { OnStarted } from './execute/startedBodies.ts';
import type { Answered } from './execute/suspendedHandler.ts';
import type { Jsonify } from './json/jsonify.ts';
import type { InvokeRequest, WireWorkflow } from './protocol.ts';
import { type RegisterOptions, Registrar } from './serve/registrar.ts';
import type { Trigger, TriggerInput } from './trigger.ts';
import {
  type AnyWorkflow,
  defineWorkflow,
  type HandlerOf,
  type Workflow,
  type WorkflowDefinition,
} from './workflow.ts';

/**
 * The client of one app: defines workflows, runs them (`connect`, or `register` with `serve`), and
 * calls the service.
 *
 * @example
 * ```ts
 * const hf = new Holdfast({ app: 'shop' });
 * export const greet = hf.workflow(
 *   { id: 'greet', triggers: [userCreated] },
 *   async ({ event, step }) => {
 *     await step.run('send mail', () => mail(event.data.email));
 *   },
 * );
 * await hf.connect().ready;
 * ```
 */
export class Holdfast {
  readonly app: string;
  readonly events: EventsClient;
  readonly workflows: WorkflowsClient;
  readonly runs: RunsClient;
  readonly approvals: ApprovalsClient;
  readonly webhooks: WebhooksClient;
  readonly ai: AiClient;
  readonly sessions: SessionsClient;
  readonly apps: AppsClient;
  readonly runners: RunnersClient;
  readonly controlActions: ControlActionsClient;
  readonly #config: Config;
  readonly #api: Api;
  readonly #workflows = new Map<string, AnyWorkflow>();
  readonly #leftovers = new Leftovers();
  /**
   * The call that registered the workflows. The service does not learn of workflows defined later.
   */
  #madeKnownBy: 'connect' | 'register' | undefined;

  /** Throws a `HoldfastConfigError` for an invalid `ai`. Other options are checked when used. */
  constructor(options: ClientOptions = {}) {
    this.#config = new Config(options);
    this.#api = new Api(this.#config);
    this.app = this.#config.app;
    this.events = new EventsClient(this.#api, this.app);
    this.runs = new RunsClient(this.#api);
    this.workflows = new WorkflowsClient(this.#api, this.app, this.runs);
    this.approvals = new ApprovalsClient(this.#api);
    this.webhooks = new WebhooksClient(this.#api);
    this.ai = new AiClient(this.#api);
    this.sessions = new SessionsClient(this.#api);
    this.apps = new AppsClient(this.#api);
    this.runners = new RunnersClient(this.#api);
    this.controlActions = new ControlActionsClient(this.#api);
  }

  /**
   * Defines a workflow of this app. The handler runs repeatedly from the top until it returns. So
   * put side effects, and values that vary between passes, into steps. Throws if the id is taken.
   */
  workflow<const Triggers extends readonly Trigger[], Result, const Name extends string>(
    options: WorkflowDefinition<Triggers, Name>,
    handler: HandlerOf<Triggers, Name, Result>,
  ): Workflow<TriggerInput<Triggers[number]>, Jsonify<Awaited<Result>>> {
    const workflow = { ...defineWorkflow(this.app, options, handler), aiDefaults: this.#config.aiDefaults };
    if (this.#workflows.has(workflow.name)) throw new TypeError(`workflow "${workflow.name}" is defined twice`);
    this.#workflows.set(workflow.name, workflow);
    if (this.#madeKnownBy !== undefined) {
      this.logger.warn(
        `holdfast: workflow "${workflow.name}" was defined after ${this.#madeKnownBy}() was called, which does not know it: ` +
          'its runs will not come here. Define all workflows first.',
      );
    }
    return workflow;
  }

  /**
   * Connects a runner of the workflows defined so far, and keeps it connected. The runner needs no
   * address of its own.
   */
  connect(options: ConnectOptions = {}): Connection {
    const invoke: Invoke = (request, signal, onStarted) => this.#begin(request, signal, onStarted);
    const connection = connect(this.#config, this.definitions(), invoke, options);
    this.#madeKnownBy = 'connect';
    return connection;
  }

  /**
   * Registers the workflows defined so far, with `url` as the address of `serve`, and repeats that
   * periodically. Resolves when the service has accepted them and `serve` knows the signing secret.
   */
  async register(options: RegisterOptions): Promise<Registrar> {
    const registrar = new Registrar(this.#config, this.#api, this.definitions(), options);
    this.#madeKnownBy ??= 'register';
    await registrar.start();
    return registrar;
  }

  /** The definitions that are registered with the service. */
  definitions(): WireWorkflow[] {
    return [...this.#workflows.values()].map(({ definition }) => definition);
  }

  /**
   * Runs one pass of a workflow, for custom transports. `connect` and `serve` call it. `onStarted`
   * receives the steps whose bodies have been executing for 500 ms.
   */
  async invoke(request: InvokeRequest, signal: AbortSignal, onStarted?: OnStarted): Promise<PassReply | undefined> {
    return (await this.#begin(request, signal, onStarted))?.reply;
  }

  /** Receives the library's own messages. */
  get logger(): LibraryLogger {
    return this.#config.logger;
  }

  /** The current secret of HTTP invokes; undefined until it is known. */
  get invokeSecret(): string | undefined {
    return this.#config.invokeSecret;
  }

  /**
   * The secrets that a signature may use, the current one first. After a rotation the previous one
   * stays valid for a day.
   */
  get invokeSecrets(): readonly string[] {
    return this.#config.invokeSecrets;
  }

  #begin(request: InvokeRequest, signal: AbortSignal, onStarted?: OnStarted): Promise<Answered | undefined> {
    const options = { leftovers: this.#leftovers, aiDefaults: this.#config.aiDefaults, signal, onStarted };
    return beginPass(this.#workflows.get(request.ctx.workflow), request, options);
  }
}
