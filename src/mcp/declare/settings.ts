/** The settings of `/mcp`. */
export interface Settings {
  /** The most bytes of an answer's text where the caller names no other bound. */
  answerMaxBytes: number;
  /** Names of hosts that may stand in `Host`, beside the service's own. */
  allowedHosts: readonly string[];
  /** Origins of web pages that may call, beside the service's own. */
  allowedOrigins: readonly string[];
  /** Lets a key decide on runs that it started here. */
  selfApproval: boolean;
  /** Write calls of a key in a minute and process; 0: no limit. */
  writesPerMinute: number;
}

export const defaultMcpSettings: Settings = {
  answerMaxBytes: 32_768,
  allowedHosts: [],
  allowedOrigins: [],
  selfApproval: false,
  writesPerMinute: 0,
};
