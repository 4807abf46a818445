/**
 * What the engine is told from outside. Times in milliseconds; the defaults are those of the
 * contract.
 */
export interface EngineSettings {
  /** Key material that seals secrets at rest. */
  operatorKey: string;
  noRunnerWaitMs: number;
  runnerHeartbeatMs: number;
  runnerLivenessMs: number;
  invokeTimeoutMs: number;
  transportBackoffMs: number;
  dedupeWindowMs: number;
  /** Between looks at AI budgets. */
  budgetCheckMs: number;
  signatureToleranceMs: number;
  /** For how long a large answer waits for room, and a long read for its turn. */
  answerWaitMs: number;
  /** How long a search, or a statistic, may take in the database. */
  readTimeoutMs: number;
  /** Whether runner and webhook URLs may name private addresses. */
  allowPrivateTargets: boolean;
  limits: EngineLimits;
}

/** Ceilings. Each is refused with an error that names it. */
export interface EngineLimits {
  jsonDepth: number;
  workflowsPerRegistration: number;
  opcodesPerPass: number;
  memoMaxBytes: number;
  /** Objects, and elements of lists, that one GraphQL operation may resolve. */
  answerMaxObjects: number;
  /** Payload text on one page of a list: it ends early, with a row at least. */
  pageMaxBytes: number;
  /** Payload text that one answer may bring into memory, and write out. */
  answerMaxBytes: number;
  /** Payload text that all answers of this process hold together. Small payloads do not count. */
  answersMaxBytes: number;
  /** Events that one batched run receives, however large its workflow's `maxSize`. */
  batchMaxEvents: number;
  /**
   * Bytes of payload that are gathered for one batched run. A single event may have more, and gets
   * a run of its own.
   */
  batchMaxBytes: number;
  celSourceLength: number;
  celNodes: number;
  celDepth: number;
  celMacroDepth: number;
  celMs: number;
}

export const defaultEngineSettings: EngineSettings = {
  operatorKey: '',
  noRunnerWaitMs: 300_000,
  runnerHeartbeatMs: 30_000,
  runnerLivenessMs: 90_000,
  invokeTimeoutMs: 900_000,
  transportBackoffMs: 500,
  dedupeWindowMs: 86_400_000,
  budgetCheckMs: 5_000,
  signatureToleranceMs: 300_000,
  answerWaitMs: 10_000,
  readTimeoutMs: 15_000,
  allowPrivateTargets: false,
  limits: {
    jsonDepth: 500,
    workflowsPerRegistration: 1000,
    opcodesPerPass: 1000,
    memoMaxBytes: 32 * 1024 * 1024,
    answerMaxObjects: 50_000,
    pageMaxBytes: 16 * 1024 * 1024,
    answerMaxBytes: 64 * 1024 * 1024,
    answersMaxBytes: 128 * 1024 * 1024,
    batchMaxEvents: 5000,
    batchMaxBytes: 1024 * 1024,
    celSourceLength: 2000,
    celNodes: 500,
    celDepth: 20,
    celMacroDepth: 2,
    celMs: 5,
  },
};
