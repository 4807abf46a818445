/**
 * The largest 32-bit integer: the limit of GraphQL, of PostgreSQL's `integer`, and of timers in ms.
 */
export const maxInt32 = 2 ** 31 - 1;

/**
 * Settings from the environment. Times are in milliseconds. The defaults are those of the contract.
 */
export interface EngineSettings {
  /** The key material that seals secrets at rest. */
  operatorKey: string;
  /**
   * Further operator keys, which open sealed secrets and seal none: during a change of the key, the
   * former ones, or the next one.
   */
  formerOperatorKeys: readonly string[];
  /**
   * The address under which senders of webhooks reach the service. Undefined until the server
   * listens on a port that the system chose.
   */
  baseUrl: string | undefined;
  noRunnerWaitMs: number;
  runnerHeartbeatMs: number;
  runnerLivenessMs: number;
  /** How long an app's live runners may leave a workflow unserved before it is retired. */
  workflowRetireMs: number;
  invokeTimeoutMs: number;
  transportBackoffMs: number;
  dedupeWindowMs: number;
  /** The interval between checks of AI budgets. */
  budgetCheckMs: number;
  signatureToleranceMs: number;
  /** How long one attempt of a webhook delivery may take, in all. */
  webhookTimeoutMs: number;
  /** The delays before the second and further attempts of a delivery. They limit the attempts. */
  webhookBackoffMs: readonly number[];
  /** How long a webhook endpoint may fail without a success before the service disables it. */
  webhookDisableAfterMs: number;
  inference: InferenceSettings;
  /** How long an operation waits for its turn, a large answer for memory, and a slow read. */
  answerWaitMs: number;
  /** The time limit of a search or a statistic in the database. */
  readTimeoutMs: number;
  /** Whether runner and webhook URLs may name private addresses. */
  allowPrivateTargets: boolean;
  limits: EngineLimits;
}

/**
 * Offloaded model calls. Times are in milliseconds. Whose key is used: that of the project, else
 * `providers`.
 */
export interface InferenceSettings {
  /** Keys for projects without their own, by provider. Only the role `inference` uses them. */
  providers: Readonly<Record<string, ProviderSettings>>;
  /** For requests without `price`: by model, or by a prefix that ends in `*`. */
  prices: Readonly<Record<string, Price>>;
  /** How long an attempt of a step waits, in the queue, in holds and for further sends. */
  deadlineMs: number;
  /** How long calls in flight may go on while the process stops. */
  drainMs: number;
  connectMs: number;
  /** The longest time without a byte. */
  idleMs: number;
  /** One send in all. */
  timeoutMs: number;
  cacheTtlMs: number;
  /** Bytes of cached answers, per project. */
  cacheMaxBytes: number;
}

/** Access to a model provider. */
export interface ProviderSettings {
  apiKey: string | undefined;
  baseUrl: string | undefined;
}

/** USD per million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/** Ceilings. A request that exceeds one is refused with an error that names it. */
export interface EngineLimits {
  jsonDepth: number;
  workflowsPerRegistration: number;
  triggersPerWorkflow: number;
  triggersPerRegistration: number;
  opcodesPerPass: number;
  /** Requests of one key that this process works on at once. Further ones wait. */
  requestsPerKey: number;
  /** Sockets, streams and waiting requests of one key in this process. */
  streamsPerKey: number;
  /** Attempts of one webhook endpoint in flight, over all processes. */
  webhookEndpointConcurrency: number;
  /** Model calls in flight of one key of a provider, over all processes. */
  inferenceConcurrency: number;
  /** Model calls in flight in this process. */
  inferenceProcessConcurrency: number;
  /** Bytes of one answer of a model. */
  inferenceMaxBytes: number;
  stepsPerRun: number;
  /** Passes in a row whose handler reaches none of the saved steps. */
  passesAstray: number;
  memoMaxBytes: number;
  /** Objects and list elements that one GraphQL operation may resolve. */
  answerMaxObjects: number;
  /** Payload text on one page of a list. The page ends early, but has at least one row. */
  pageMaxBytes: number;
  /** Payload text that one answer may load and write. */
  answerMaxBytes: number;
  /**
   * Payload text that all answers of this process may hold together. Small payloads do not count.
   */
  answersMaxBytes: number;
  /** Operations of callers that this process executes at once, of one project at most half. */
  operationsAtOnce: number;
  /** Operations of one project that wait for their turn. */
  operationsQueued: number;
  /** Events of one batched run, even if the workflow's `maxSize` is larger. */
  batchMaxEvents: number;
  /** Payload bytes of one batched run. A single larger event gets a run of its own. */
  batchMaxBytes: number;
  celSourceLength: number;
  celNodes: number;
  celDepth: number;
  celMacroDepth: number;
  celMs: number;
}

export const defaultEngineSettings: EngineSettings = {
  operatorKey: '',
  formerOperatorKeys: [],
  baseUrl: undefined,
  noRunnerWaitMs: 300_000,
  runnerHeartbeatMs: 30_000,
  runnerLivenessMs: 90_000,
  workflowRetireMs: 600_000,
  invokeTimeoutMs: 900_000,
  transportBackoffMs: 500,
  dedupeWindowMs: 86_400_000,
  budgetCheckMs: 5_000,
  signatureToleranceMs: 300_000,
  webhookTimeoutMs: 10_000,
  webhookBackoffMs: [5_000, 300_000, 3_600_000, 21_600_000],
  webhookDisableAfterMs: 432_000_000,
  inference: {
    providers: {
      anthropic: { apiKey: undefined, baseUrl: undefined },
      openai: { apiKey: undefined, baseUrl: undefined },
    },
    prices: {},
    deadlineMs: 7_200_000,
    drainMs: 30_000,
    connectMs: 10_000,
    idleMs: 600_000,
    timeoutMs: 1_800_000,
    cacheTtlMs: 86_400_000,
    cacheMaxBytes: 64 * 1024 * 1024,
  },
  answerWaitMs: 10_000,
  readTimeoutMs: 15_000,
  allowPrivateTargets: false,
  limits: {
    jsonDepth: 500,
    workflowsPerRegistration: 1000,
    triggersPerWorkflow: 100,
    triggersPerRegistration: 1000,
    opcodesPerPass: 1000,
    requestsPerKey: 256,
    streamsPerKey: 20_000,
    webhookEndpointConcurrency: 10,
    inferenceConcurrency: 100,
    inferenceProcessConcurrency: 500,
    inferenceMaxBytes: 4 * 1024 * 1024,
    stepsPerRun: 20_000,
    passesAstray: 20,
    memoMaxBytes: 32 * 1024 * 1024,
    answerMaxObjects: 50_000,
    pageMaxBytes: 16 * 1024 * 1024,
    answerMaxBytes: 64 * 1024 * 1024,
    answersMaxBytes: 128 * 1024 * 1024,
    operationsAtOnce: 128,
    operationsQueued: 1000,
    batchMaxEvents: 5000,
    batchMaxBytes: 1024 * 1024,
    celSourceLength: 2000,
    celNodes: 500,
    celDepth: 20,
    celMacroDepth: 2,
    celMs: 5,
  },
};
