import { Api } from './client/api.ts';
import { ApprovalsClient } from './client/approvals.ts';
import { EventsClient } from './client/events.ts';
import { RunsClient } from './client/runs.ts';
import { WorkflowsClient } from './client/workflows.ts';
import { type ClientOptions, Config, type LibraryLogger } from './config.ts';
import { type ConnectOptions, connect } from './connect/connect.ts';
import type { Connection } from './connect/connection.ts';
import type { Invoke } from './connect/requestProcessor.ts';
import type { PassReply } from './execute/answer.ts';
import { Leftovers } from './execute/leftovers.ts';
import { runPass } from './execute/runPass.ts';
import type { Jsonify } from './json/jsonify.ts';
import type { InvokeRequest, WireWorkflow } from './protocol.ts';
import { type RegisterOptions, Registrar } from './serve/registrar.ts';
import {
  type AnyWorkflow,
  defineWorkflow,
  type Handler,
  type Trigger,
  type TriggerData,
  type Workflow,
  type WorkflowName,
  type WorkflowOptions,
} from './workflow.ts';

/**
 * The client of one app: defines its workflows, runs them (`connect`, or `register` with `serve`),
 * and calls the service.
 *
 * @example const hf = new Holdfast({ app: 'shop' }); export const greet = hf.workflow({ id:
 * 'greet', triggers: [userCreated] }, async ({ event, step }) => { await step.run('send mail', ()
 * => mail(event.data.email)); }); await hf.connect().ready;
 */
export class Holdfast {
  readonly app: string;
  readonly events: EventsClient;
  readonly workflows: WorkflowsClient;
  readonly runs: RunsClient;
  readonly approvals: ApprovalsClient;
  readonly #config: Config;
  readonly #api: Api;
  readonly #workflows = new Map<string, AnyWorkflow>();
  readonly #leftovers = new Leftovers();
  /** What has made the workflows known, which does not hear of later ones. */
  #madeKnownBy: 'connect' | 'register' | undefined;

  constructor(options: ClientOptions = {}) {
    this.#config = new Config(options);
    this.#api = new Api(this.#config);
    this.app = this.#config.app;
    this.events = new EventsClient(this.#api, this.app);
    this.workflows = new WorkflowsClient(this.#api, this.app);
    this.runs = new RunsClient(this.#api);
    this.approvals = new ApprovalsClient(this.#api);
  }

  /**
   * Defines a workflow of this app. The handler runs from the top again and again until it returns;
   * what may happen only once, or differ from time to time, belongs into steps. Throws where the id
   * is taken.
   */
  workflow<const Triggers extends readonly Trigger[], Result>(
    options: WorkflowName & WorkflowOptions<Triggers>,
    handler: Handler<TriggerData<Triggers[number]>, Result>,
  ): Workflow<TriggerData<Triggers[number]>, Jsonify<Awaited<Result>>> {
    const workflow = defineWorkflow(this.app, options, handler);
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
   * Connects a runner of the workflows defined so far, and keeps it connected. Needs no address of
   * its own.
   */
  connect(options: ConnectOptions = {}): Connection {
    const invoke: Invoke = (request, signal) => this.invoke(request, signal);
    const connection = connect(this.#config, this.definitions(), invoke, options);
    this.#madeKnownBy = 'connect';
    return connection;
  }

  /**
   * Registers the workflows defined so far as served at `url` (see `serve`), and again from time to
   * time. Resolves once the service has taken them, and `serve` knows the secret of its signatures.
   */
  async register(options: RegisterOptions): Promise<Registrar> {
    const registrar = new Registrar(this.#config, this.#api, this.definitions(), options);
    this.#madeKnownBy ??= 'register';
    await registrar.start();
    return registrar;
  }

  /** What is registered with the service. */
  definitions(): WireWorkflow[] {
    return [...this.#workflows.values()].map(({ definition }) => definition);
  }

  /**
   * Runs one pass of one of the workflows. For transports of one's own; `connect` and `serve` call
   * it.
   */
  invoke(request: InvokeRequest, signal: AbortSignal): Promise<PassReply | undefined> {
    return runPass(this.#workflows.get(request.ctx.workflow), request, { leftovers: this.#leftovers, signal });
  }

  /** Where the library itself speaks. */
  get logger(): LibraryLogger {
    return this.#config.logger;
  }

  /** The secret of HTTP invokes, once it is known. */
  get invokeSecret(): string | undefined {
    return this.#config.invokeSecret;
  }

  /**
   * All that a signature may be made with: after a rotation the one before it too, for a day. The
   * current one comes first.
   */
  get invokeSecrets(): readonly string[] {
    return this.#config.invokeSecrets;
  }
}
