/**
 * The error kinds of the contract, independent of transport. REST, GraphQL and MCP map each kind
 * once.
 */
export const errorKinds = [
  'unauthenticated',
  'forbidden',
  'suspended',
  'invalid',
  'notFound',
  'conflict',
  'noRunner',
  'notConfigured',
  'busy',
] as const;

export type ErrorKind = (typeof errorKinds)[number];

/** The text that callers get for any error that is not a `HoldfastError`. */
export const internalError = 'internal error';

/** An error whose message the caller may see. All other errors are masked as `internalError`. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The texts of 7.3, and of the conflicts that the rulings add. */
export const conflicts = {
  runTerminal: 'run already in a terminal state',
  runNotTerminal: 'run is not in a terminal state',
  runNotPaused: 'run is not paused',
  runNotAwaiting: 'run is not awaiting a decision',
  approvalNotOpen: 'approval is not open',
  tokenInUse: 'webhook token already in use',
  sourceNameInUse: 'webhook source name already in use',
  endpointNameInUse: 'webhook endpoint name already in use',
  endpointUrlSubscribed: 'webhook endpoint url already subscribed',
  endpointDisabled: 'webhook endpoint is disabled',
  deliveryInFlight: 'webhook delivery is in flight',
  deliveryNotVerified: 'webhook delivery was not verified',
  rotationInProgress: 'secret rotation in progress',
  singletonTaken: 'another run of this singleton has not ended',
} as const;

export type ConflictReason = keyof typeof conflicts;

export const unauthenticated = (message = 'missing or unknown API key'): HoldfastError =>
  new HoldfastError('unauthenticated', message);
export const forbidden = (message: string): HoldfastError => new HoldfastError('forbidden', message);
export const invalid = (message: string): HoldfastError => new HoldfastError('invalid', message);
export const notFound = (what = 'not found'): HoldfastError => new HoldfastError('notFound', what);
export const conflict = (reason: ConflictReason): HoldfastError => new HoldfastError('conflict', conflicts[reason]);
export const noRunner = (message: string): HoldfastError => new HoldfastError('noRunner', message);
export const busy = (message = 'too many large answers are in progress: retry, or request fewer rows'): HoldfastError =>
  new HoldfastError('busy', message);
export const notConfigured = (message: string): HoldfastError => new HoldfastError('notConfigured', message);
