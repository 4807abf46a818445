import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { Hands } from './hands.ts';

/** What a client was told of an event that it sent. */
export interface Acknowledged {
  dedupeId: string;
  eventId: string | undefined;
  /** Undefined where the answer was that it is a repeat. */
  triggered: readonly object[] | undefined;
}

export interface Decided {
  status: 'approved' | 'denied';
  decidedBy: string;
}

/** What happened in one storm, noted where it happened, outside of the service. */
export class Ledger {
  /** What the runner saw that must not be. */
  readonly violations: string[] = [];
  /** By run and step: how often the body was entered. */
  readonly #entered = new Map<string, number>();
  /** By run: invokes whose answer was lost, or came too late. */
  readonly #lost = new Map<string, number>();
  readonly #events = new Map<string, string>();
  readonly #handed = new Map<string, string[]>();
  /** Runs whose cancellation was attempted. */
  readonly cancelled = new Set<string>();
  readonly dropped = new Map<string, number>();
  /** Workflows whose runs somebody cancelled in bulk. */
  readonly cancelledInBulk = new Set<string>();
  /** Starts whose answer arrived, by the key against repeats. */
  readonly acknowledged: Acknowledged[] = [];
  /** Runs that a client was told of. */
  readonly startedRuns: string[] = [];
  /** Starts by name that were answered with a reason why there is none. */
  readonly refused: { workflow: string; reason: string; marker: string }[] = [];
  /** By approval: the decisions that were accepted. */
  readonly decided = new Map<string, Decided[]>();
  readonly hands = new Hands();
  /** When the schedules were taken away; all that was due until then had been fired. */
  schedulesEndedAt: Date | undefined;
  /** Whether there was a time without a runner. */
  wasDeserted = false;

  /**
   * A runner receives a request: what it was told before must still be so, in the same order (I4).
   * A process whose lease is gone knows less, but nothing else.
   */
  receive(request: InvokeRequest): void {
    const { runId } = request.ctx;
    const event = JSON.stringify([request.event, request.events]);
    const formerEvent = this.#events.get(runId) ?? event;
    if (event !== formerEvent)
      this.violations.push(`run ${runId} was given the event ${formerEvent}, and later ${event}`);
    this.#events.set(runId, event);
    const told = Object.entries(request.steps).flatMap(([id, entry]) =>
      'pending' in entry ? [] : [`${id}:${JSON.stringify(entry)}`],
    );
    const known = this.#handed.get(runId) ?? [];
    const [shorter, longer] = told.length < known.length ? [told, known] : [known, told];
    const changed = shorter.findIndex((each, position) => longer[position] !== each);
    if (changed >= 0) {
      this.violations.push(`run ${runId} was told ${known[changed]} at ${changed}, and later ${told[changed]}`);
    }
    this.#handed.set(runId, longer);
  }

  /** Whether a handler of the run ever received what the step came to. */
  wasTold(runId: string, stepId: string): boolean {
    return this.#handed.get(runId)?.some((each) => each.startsWith(`${stepId}:`)) ?? false;
  }

  enter(runId: string, step: string): void {
    const key = `${runId} ${step}`;
    this.#entered.set(key, (this.#entered.get(key) ?? 0) + 1);
  }

  entered(runId: string, step: string): number {
    return this.#entered.get(`${runId} ${step}`) ?? 0;
  }

  lose(runId: string): void {
    this.#lost.set(runId, (this.#lost.get(runId) ?? 0) + 1);
  }

  accept(approvalId: string, decision: Decided): void {
    this.decided.set(approvalId, [...(this.decided.get(approvalId) ?? []), decision]);
  }

  lost(runId: string): number {
    return this.#lost.get(runId) ?? 0;
  }
}
