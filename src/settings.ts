import { resolve } from 'node:path';
import { z } from 'zod';
import { defaultEngineSettings, type EngineSettings, maxInt32 } from './engine/settings.ts';
import { defaultMcpSettings, type McpSettings } from './mcp/index.ts';

export const roles = ['api', 'dispatcher', 'scheduler', 'webhooks', 'inference'] as const;
export type Role = (typeof roles)[number];

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['json', 'pretty'] as const;
export type LogFormat = (typeof logFormats)[number];

/** The settings from the environment. Times are in milliseconds. */
export interface Settings {
  isProduction: boolean;
  host: string;
  port: number;
  /** The address under which clients reach the service. Absent: the address on which it listens. */
  publicUrl: string | undefined;
  /** Origins of web pages that may use REST, GraphQL, streams and sockets, by CORS. */
  corsOrigins: readonly string[];
  /**
   * Origins of web pages that may use GraphQL and sockets without CORS, beside the service's own.
   */
  allowedOrigins: readonly string[];
  /** Absent: the embedded PostgreSQL, under `dataDir`. */
  databaseUrl: string | undefined;
  databasePoolSize: number;
  /**
   * Accepts a database that may lose its commits: for tests, and for hosts that protect it by other
   * means.
   */
  allowUnsafeDatabase: boolean;
  /** Accepts an operator key that does not open the sealed secrets of the database. */
  allowNewOperatorKey: boolean;
  /** Absolute. Holds the embedded PostgreSQL and `keys.json`. */
  dataDir: string;
  roles: ReadonlySet<Role>;
  /** Whether the role `api` serves the web console. */
  servesConsole: boolean;
  logLevel: LogLevel;
  /** Absent: `pretty` on a terminal, `json` elsewhere. */
  logFormat: LogFormat | undefined;
  /**
   * `operatorKey` is empty if the environment has none. The first start then creates one, and keeps
   * it in `dataDir`.
   */
  engine: EngineSettings;
  runnerProbeMs: number;
  streamCommentMs: number;
  limits: SurfaceLimits;
  mcp: McpSettings;
}

/** Limits of the interfaces; those of the engine are in `engine.limits`. */
export interface SurfaceLimits {
  subscriptionsPerSocket: number;
  requestsPerConnection: number;
  /** Bytes of all request bodies that are arriving. */
  bodiesMaxBytes: number;
  /** Absent: by the limit of open files. */
  connections: number | undefined;
  document: { tokens: number; depth: number; aliases: number; nodes: number };
}

/** The environment is invalid. The message names every wrong variable. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const wholeNumber = (min: number, max: number, byDefault: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value.trim()) ? Number(value) : value),
    z.int(error).min(min, error).max(max, error).default(byDefault),
  );
};

// Timers of the runtime hold 32 bits.
const milliseconds = (byDefault: number, min = 1) => wholeNumber(min, maxInt32, byDefault);
const ceiling = (byDefault: number) => wholeNumber(1, 1_000_000_000, byDefault);

const truth = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');

const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const list = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean)
    : value;

const noOrigin = 'must be a comma list of origins, such as https://console.example.com';
const origin = z
  .url({ protocol: /^https?$/, error: noOrigin })
  .refine((url) => URL.canParse(url) && new URL(url).origin === url.replace(/\/$/, ''), noOrigin);

const noHosts = 'must be a comma list of host names without ports, such as holdfast.example.com';

const noRoles = `must be a comma list of ${roles.join(', ')}`;

const noPrices =
  'must be JSON such as {"model-name*": {"input": 3, "output": 15}}, in USD per million tokens; optional are cacheRead and cacheWrite';
const perMillion = z.number(noPrices).min(0, noPrices).max(1_000_000, noPrices);
const prices = z.preprocess(
  (value) => (typeof value === 'string' ? parsedJson(value) : value),
  z
    .record(
      z.string(),
      z.strictObject(
        { input: perMillion, output: perMillion, cacheRead: perMillion.optional(), cacheWrite: perMillion.optional() },
        noPrices,
      ),
      noPrices,
    )
    .default({}),
);

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const operatorKey = /^\S{16,512}$/;
const noOperatorKeys = 'must be a comma list of keys of 16 to 512 characters, none of them white space';

const defaults = defaultEngineSettings;

/** Every variable, with its form and its default. */
export const environment = z.object({
  NODE_ENV: z.string().optional(),
  PORT: wholeNumber(0, 65_535, 4400),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: webUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
  CORS_ORIGINS: z.preprocess(list, z.array(origin).default([])),
  ALLOWED_ORIGINS: z.preprocess(list, z.array(origin).default([])),
  MCP_ALLOWED_HOSTS: z.preprocess(
    list,
    z.array(z.string().regex(/^[^\s/:]+$|^\[[0-9a-fA-F:.]+\]$/, noHosts)).default([]),
  ),
  MCP_ALLOWED_ORIGINS: z.preprocess(list, z.array(origin).default([])),
  MCP_ANSWER_MAX_BYTES: wholeNumber(4_096, 131_072, defaultMcpSettings.answerMaxBytes),
  MCP_SELF_APPROVAL: truth.optional(),
  MCP_WRITES_PER_MINUTE: wholeNumber(0, 1_000_000, defaultMcpSettings.writesPerMinute),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// URL' }).optional(),
  // A starting process uses a second connection while one holds a lock.
  DATABASE_POOL_SIZE: wholeNumber(2, 100, 10),
  ALLOW_UNSAFE_DATABASE: truth.optional(),
  OPERATOR_KEY: z.string().regex(operatorKey, 'must have 16 to 512 characters, none of them white space').optional(),
  OPERATOR_KEY_FORMER: z.preprocess(
    list,
    z.array(z.string().regex(operatorKey, noOperatorKeys)).max(20, 'must name at most 20 keys').default([]),
  ),
  ALLOW_NEW_OPERATOR_KEY: truth.optional(),
  DATA_DIR: z.string().default('.holdfast'),
  ROLES: z.preprocess(
    list,
    z
      .array(z.enum(roles, noRoles))
      .min(1, noRoles)
      .default([...roles]),
  ),
  CONSOLE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  LOG_FORMAT: z.enum(logFormats, `must be one of ${logFormats.join(', ')}`).optional(),
  ALLOW_PRIVATE_TARGETS: truth.optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: webUrl.optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: webUrl.optional(),
  AI_PRICES: prices,

  NO_RUNNER_WAIT_MS: milliseconds(defaults.noRunnerWaitMs),
  RUNNER_HEARTBEAT_MS: milliseconds(defaults.runnerHeartbeatMs),
  RUNNER_LIVENESS_MS: milliseconds(defaults.runnerLivenessMs),
  RUNNER_PROBE_MS: milliseconds(0).optional(),
  WORKFLOW_RETIRE_MS: milliseconds(defaults.workflowRetireMs),
  INVOKE_TIMEOUT_MS: milliseconds(defaults.invokeTimeoutMs),
  TRANSPORT_BACKOFF_MS: milliseconds(defaults.transportBackoffMs),
  DEDUPE_WINDOW_MS: milliseconds(defaults.dedupeWindowMs),
  SIGNATURE_TOLERANCE_MS: milliseconds(defaults.signatureToleranceMs),
  WEBHOOK_TIMEOUT_MS: milliseconds(defaults.webhookTimeoutMs),
  WEBHOOK_BACKOFF_MS: z.preprocess(
    list,
    z
      .array(milliseconds(0, 0), 'must be a comma list of milliseconds')
      .min(1, 'must name at least one delay')
      .max(20, 'must name at most 20 delays')
      .default([...defaults.webhookBackoffMs]),
  ),
  WEBHOOK_DISABLE_AFTER_MS: milliseconds(defaults.webhookDisableAfterMs),
  BUDGET_CHECK_MS: milliseconds(defaults.budgetCheckMs),
  INFERENCE_DEADLINE_MS: milliseconds(defaults.inference.deadlineMs),
  INFERENCE_DRAIN_MS: milliseconds(defaults.inference.drainMs),
  INFERENCE_CONNECT_MS: milliseconds(defaults.inference.connectMs),
  INFERENCE_IDLE_MS: milliseconds(defaults.inference.idleMs),
  INFERENCE_TIMEOUT_MS: milliseconds(defaults.inference.timeoutMs),
  INFERENCE_CACHE_TTL_MS: milliseconds(defaults.inference.cacheTtlMs),
  ANSWER_WAIT_MS: milliseconds(defaults.answerWaitMs),
  READ_TIMEOUT_MS: milliseconds(defaults.readTimeoutMs),
  STREAM_COMMENT_MS: milliseconds(15_000),

  MAX_JSON_DEPTH: ceiling(defaults.limits.jsonDepth),
  MAX_WORKFLOWS_PER_REGISTRATION: ceiling(defaults.limits.workflowsPerRegistration),
  MAX_TRIGGERS_PER_WORKFLOW: ceiling(defaults.limits.triggersPerWorkflow),
  MAX_TRIGGERS_PER_REGISTRATION: ceiling(defaults.limits.triggersPerRegistration),
  MAX_OPCODES_PER_PASS: ceiling(defaults.limits.opcodesPerPass),
  MAX_STEPS_PER_RUN: ceiling(defaults.limits.stepsPerRun),
  MAX_PASSES_ASTRAY: ceiling(defaults.limits.passesAstray),
  MEMO_MAX_BYTES: ceiling(defaults.limits.memoMaxBytes),
  ANSWER_MAX_BYTES: ceiling(defaults.limits.answerMaxBytes),
  ANSWERS_MAX_BYTES: ceiling(defaults.limits.answersMaxBytes),
  MAX_OPERATIONS: ceiling(defaults.limits.operationsAtOnce),
  MAX_QUEUED_OPERATIONS: ceiling(defaults.limits.operationsQueued),
  PAGE_MAX_BYTES: ceiling(defaults.limits.pageMaxBytes),
  BATCH_MAX_EVENTS: ceiling(defaults.limits.batchMaxEvents),
  BATCH_MAX_BYTES: ceiling(defaults.limits.batchMaxBytes),
  BODIES_MAX_BYTES: ceiling(128 * 1024 * 1024),
  MAX_SUBSCRIPTIONS_PER_SOCKET: ceiling(100),
  MAX_CONNECTIONS: ceiling(1).optional(),
  MAX_REQUESTS_PER_CONNECTION: ceiling(16),
  MAX_REQUESTS_PER_KEY: ceiling(defaults.limits.requestsPerKey),
  MAX_STREAMS_PER_KEY: ceiling(defaults.limits.streamsPerKey),
  WEBHOOK_ENDPOINT_CONCURRENCY: ceiling(defaults.limits.webhookEndpointConcurrency),
  INFERENCE_CONCURRENCY: ceiling(defaults.limits.inferenceConcurrency),
  INFERENCE_PROCESS_CONCURRENCY: ceiling(defaults.limits.inferenceProcessConcurrency),
  INFERENCE_MAX_BYTES: ceiling(defaults.limits.inferenceMaxBytes),
  INFERENCE_CACHE_MAX_BYTES: ceiling(defaults.inference.cacheMaxBytes),
  GRAPHQL_MAX_TOKENS: ceiling(5_000),
  GRAPHQL_MAX_DEPTH: ceiling(14),
  GRAPHQL_MAX_ALIASES: ceiling(30),
  GRAPHQL_MAX_NODES: ceiling(10_000),
  GRAPHQL_MAX_OBJECTS: ceiling(defaults.limits.answerMaxObjects),
  CEL_MAX_LENGTH: ceiling(defaults.limits.celSourceLength),
  CEL_MAX_NODES: ceiling(defaults.limits.celNodes),
  CEL_MAX_DEPTH: ceiling(defaults.limits.celDepth),
  CEL_MAX_MACRO_DEPTH: ceiling(defaults.limits.celMacroDepth),
  CEL_MAX_MS: ceiling(defaults.limits.celMs),
});

type Environment = z.output<typeof environment>;

/**
 * Reads the settings from an environment; no other code does. A variable that is set but empty
 * counts as absent. Throws a `SettingsError` that names all wrong variables together. The message
 * repeats no values, which may be secret.
 */
export function loadSettings(env: Record<string, string | undefined>): Settings {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '');
  const present = Object.fromEntries(set);
  const read = environment.safeParse(present);
  const wrong = read.error?.issues.map(({ path, message }) => `${String(path[0])}: ${message}`) ?? [];
  const problems = [...new Set(wrong), ...missingInProduction(present)].map((problem) => `  ${problem}`);
  if (read.success && problems.length === 0) return toSettings(read.data);
  throw new SettingsError(`invalid environment:\n${problems.join('\n')}`);
}

function missingInProduction(present: Record<string, string | undefined>): string[] {
  if (present['NODE_ENV'] !== 'production') return [];
  const missing = ['DATABASE_URL', 'OPERATOR_KEY'].filter((name) => present[name] === undefined);
  return missing.map((name) => `${name}: must be set when NODE_ENV is production`);
}

function toSettings(env: Environment): Settings {
  return {
    isProduction: env.NODE_ENV === 'production',
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL,
    corsOrigins: env.CORS_ORIGINS,
    allowedOrigins: env.ALLOWED_ORIGINS,
    databaseUrl: env.DATABASE_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    allowUnsafeDatabase: env.ALLOW_UNSAFE_DATABASE ?? false,
    allowNewOperatorKey: env.ALLOW_NEW_OPERATOR_KEY ?? false,
    dataDir: resolve(env.DATA_DIR),
    roles: new Set(env.ROLES),
    servesConsole: env.CONSOLE === 'on',
    logLevel: env.LOG_LEVEL,
    logFormat: env.LOG_FORMAT,
    engine: toEngineSettings(env),
    runnerProbeMs: env.RUNNER_PROBE_MS ?? env.RUNNER_HEARTBEAT_MS,
    streamCommentMs: env.STREAM_COMMENT_MS,
    limits: {
      subscriptionsPerSocket: env.MAX_SUBSCRIPTIONS_PER_SOCKET,
      requestsPerConnection: env.MAX_REQUESTS_PER_CONNECTION,
      connections: env.MAX_CONNECTIONS,
      bodiesMaxBytes: env.BODIES_MAX_BYTES,
      document: {
        tokens: env.GRAPHQL_MAX_TOKENS,
        depth: env.GRAPHQL_MAX_DEPTH,
        aliases: env.GRAPHQL_MAX_ALIASES,
        nodes: env.GRAPHQL_MAX_NODES,
      },
    },
    mcp: {
      answerMaxBytes: env.MCP_ANSWER_MAX_BYTES,
      allowedHosts: env.MCP_ALLOWED_HOSTS,
      allowedOrigins: env.MCP_ALLOWED_ORIGINS,
      selfApproval: env.MCP_SELF_APPROVAL ?? false,
      writesPerMinute: env.MCP_WRITES_PER_MINUTE,
    },
  };
}

function toInferenceSettings(env: Environment): EngineSettings['inference'] {
  return {
    providers: {
      anthropic: { apiKey: env.ANTHROPIC_API_KEY, baseUrl: env.ANTHROPIC_BASE_URL },
      openai: { apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL },
    },
    prices: env.AI_PRICES,
    deadlineMs: env.INFERENCE_DEADLINE_MS,
    drainMs: env.INFERENCE_DRAIN_MS,
    connectMs: env.INFERENCE_CONNECT_MS,
    idleMs: env.INFERENCE_IDLE_MS,
    timeoutMs: env.INFERENCE_TIMEOUT_MS,
    cacheTtlMs: env.INFERENCE_CACHE_TTL_MS,
    cacheMaxBytes: env.INFERENCE_CACHE_MAX_BYTES,
  };
}

function toEngineSettings(env: Environment): EngineSettings {
  return {
    operatorKey: env.OPERATOR_KEY ?? '',
    formerOperatorKeys: env.OPERATOR_KEY_FORMER,
    // Known when the server listens.
    baseUrl: undefined,
    noRunnerWaitMs: env.NO_RUNNER_WAIT_MS,
    runnerHeartbeatMs: env.RUNNER_HEARTBEAT_MS,
    runnerLivenessMs: env.RUNNER_LIVENESS_MS,
    workflowRetireMs: env.WORKFLOW_RETIRE_MS,
    invokeTimeoutMs: env.INVOKE_TIMEOUT_MS,
    transportBackoffMs: env.TRANSPORT_BACKOFF_MS,
    dedupeWindowMs: env.DEDUPE_WINDOW_MS,
    budgetCheckMs: env.BUDGET_CHECK_MS,
    signatureToleranceMs: env.SIGNATURE_TOLERANCE_MS,
    webhookTimeoutMs: env.WEBHOOK_TIMEOUT_MS,
    webhookBackoffMs: env.WEBHOOK_BACKOFF_MS,
    webhookDisableAfterMs: env.WEBHOOK_DISABLE_AFTER_MS,
    inference: toInferenceSettings(env),
    answerWaitMs: env.ANSWER_WAIT_MS,
    readTimeoutMs: env.READ_TIMEOUT_MS,
    // On a developer's machine, runners and endpoints have private addresses.
    allowPrivateTargets: env.ALLOW_PRIVATE_TARGETS ?? env.DATABASE_URL === undefined,
    limits: {
      jsonDepth: env.MAX_JSON_DEPTH,
      workflowsPerRegistration: env.MAX_WORKFLOWS_PER_REGISTRATION,
      triggersPerWorkflow: env.MAX_TRIGGERS_PER_WORKFLOW,
      triggersPerRegistration: env.MAX_TRIGGERS_PER_REGISTRATION,
      opcodesPerPass: env.MAX_OPCODES_PER_PASS,
      requestsPerKey: env.MAX_REQUESTS_PER_KEY,
      streamsPerKey: env.MAX_STREAMS_PER_KEY,
      webhookEndpointConcurrency: env.WEBHOOK_ENDPOINT_CONCURRENCY,
      inferenceConcurrency: env.INFERENCE_CONCURRENCY,
      inferenceProcessConcurrency: env.INFERENCE_PROCESS_CONCURRENCY,
      inferenceMaxBytes: env.INFERENCE_MAX_BYTES,
      stepsPerRun: env.MAX_STEPS_PER_RUN,
      passesAstray: env.MAX_PASSES_ASTRAY,
      memoMaxBytes: env.MEMO_MAX_BYTES,
      answerMaxObjects: env.GRAPHQL_MAX_OBJECTS,
      pageMaxBytes: env.PAGE_MAX_BYTES,
      answerMaxBytes: env.ANSWER_MAX_BYTES,
      answersMaxBytes: env.ANSWERS_MAX_BYTES,
      operationsAtOnce: env.MAX_OPERATIONS,
      operationsQueued: env.MAX_QUEUED_OPERATIONS,
      batchMaxEvents: env.BATCH_MAX_EVENTS,
      batchMaxBytes: env.BATCH_MAX_BYTES,
      celSourceLength: env.CEL_MAX_LENGTH,
      celNodes: env.CEL_MAX_NODES,
      celDepth: env.CEL_MAX_DEPTH,
      celMacroDepth: env.CEL_MAX_MACRO_DEPTH,
      celMs: env.CEL_MAX_MS,
    },
  };
}
