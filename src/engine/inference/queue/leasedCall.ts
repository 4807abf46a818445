/** Names a call under one lease: `claimNo` grows with each claim. */
export interface CallRef {
  runId: string;
  stepIndex: number;
  claimNo: number;
}

/** A call that this process may execute. */
export interface LeasedCall extends CallRef {
  /** The attempt of the step. */
  attempt: number;
  projectId: string;
  app: string;
  workflow: string;
  /** The lane of the run, which serves its workflow. */
  runLaneId: number;
  provider: string;
  model: string;
  keyId: string;
  laneId: string;
  /** Whose key the call has queued for. It may have been set or removed since. */
  keyFrom: 'project' | 'settings';
  /** Whether the cache is to be asked. Then the call occupies no place of its lane. */
  looksUp: boolean;
  /** The number of the last send; 0: none. */
  sends: number;
  /** Sends that failed without holding the lane. */
  failures: number;
  /** How often an answer that does not fit was asked for again. */
  reasked: number;
  idempotencyKey: string;
  deadlineAt: Date;
  /** The `data` of the opcode, sealed (`openRequest`). */
  request: Buffer;
  /** Its bytes in the clear. */
  requestBytes: number;
  /** The bound of the answer, if the request sets one. */
  maxTokens: number | undefined;
  /** Whether nobody knows how the last send ended. */
  afterUnknown: boolean;
}
