import { perEngine } from '../../perEngine.ts';
import { type AttemptOutcome, attemptOutcomes } from '../deliveries/index.ts';

/** Counts what the sender of this process does, for metrics. */
export class DeliveryTally {
  /** Attempts since the process started. */
  readonly attempts = new Map<AttemptOutcome, number>(attemptOutcomes.map((outcome) => [outcome, 0]));
  /** Requests that have not ended. */
  inFlight = 0;
  /** Endpoints that this process disabled. */
  disabled = 0;

  ended(outcome: AttemptOutcome): void {
    this.attempts.set(outcome, (this.attempts.get(outcome) ?? 0) + 1);
  }
}

export const tallyOf = perEngine(() => new DeliveryTally());
