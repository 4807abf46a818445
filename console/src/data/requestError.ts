import type { Trouble } from '../design/Panel.tsx';

/** The codes of the service, and two of the way to it. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'NO_RUNNER'
  | 'NOT_CONFIGURED'
  | 'BUSY'
  | 'INTERNAL'
  | 'NETWORK'
  | 'ABORTED';

/** A request that failed. Its message is the service's own, or one of ours about the network. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: ErrorCode;
  readonly at = new Date();

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  /** Whether the same request may succeed soon. */
  get isPassing(): boolean {
    return this.code === 'BUSY' || this.code === 'NETWORK';
  }
}

export const asRequestError = (error: unknown): RequestError =>
  error instanceof RequestError
    ? error
    : new RequestError('INTERNAL', error instanceof Error ? error.message : String(error));

/** An error in words for the panel whose question failed. */
export function explain(error: unknown): Trouble {
  const { code, message, at } = asRequestError(error);
  switch (code) {
    case 'BUSY':
      return {
        title: 'The service is busy',
        detail: 'A shorter time range helps. The console tries again by itself.',
        isBusy: true,
      };
    case 'NETWORK':
      return { title: 'The service does not answer', detail: 'The console tries again by itself.', isBusy: true };
    case 'NOT_FOUND':
      return { title: 'Not found', detail: message };
    case 'CONFLICT':
      return { title: 'Not possible in this state', detail: message };
    case 'NO_RUNNER':
      return { title: 'No runner serves this', detail: `${message}. The page Runners shows which are live.` };
    case 'BAD_USER_INPUT':
      return { title: 'The service refused the input', detail: message };
    case 'FORBIDDEN':
      return { title: 'Not allowed with this key', detail: message };
    case 'NOT_CONFIGURED':
      return { title: 'Not set up in this service', detail: message };
    case 'UNAUTHENTICATED':
      return { title: 'The key is not valid', detail: 'Sign in again.' };
    case 'INTERNAL':
    case 'ABORTED':
      return { title: 'The service failed', detail: `Look for ${at.toISOString()} in its log.` };
    default:
      // A code of a newer service.
      return { title: 'The request failed', detail: message };
  }
}
