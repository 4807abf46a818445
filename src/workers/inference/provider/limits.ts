/** The limits of one call. */
export interface CallLimits {
  /** Until the connection stands. */
  connectMs: number;
  /** Without a byte, once the request is being sent. */
  idleMs: number;
  /** In all. */
  timeoutMs: number;
  /** Of an answer, after decompression. */
  maxBytes: number;
}

/** Why a call was stopped from this side. */
export type StopReason = 'aborted' | 'connect' | 'idle' | 'timeout' | 'size';
