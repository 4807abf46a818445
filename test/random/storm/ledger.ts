import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { Hands } from './hands.ts';

/** The answer to a client that sent an event. */
export interface Acknowledged {
  dedupeId: string;
  eventId: string | undefined;
  /** Undefined if the answer was that it is a duplicate. */
  triggered: readonly object[] | undefined;
}

export interface Decided {
  status: 'approved' | 'denied';
  decidedBy: string;
}

/** The facts of one storm, recorded outside of the service when they happened. */
export class Ledger {
  /** Violations that the runner observed. */
  readonly violations: string[] = [];
  /** By run and step: how often the body was entered. */
  readonly #entered = new Map<string, number>();
  /** By run: invokes whose answer was lost or late. */
  readonly #lost = new Map<string, number>();
  readonly #events = new Map<string, string>();
  readonly #handed = new Map<string, string[]>();
  /** Runs that someone tried to cancel. */
  readonly cancelled = new Set<string>();
  readonly dropped = new Map<string, number>();
  /** Workflows whose runs were cancelled in bulk. */
  readonly cancelledInBulk = new Set<string>();
  /** Starts with an answer, by dedupe key. */
  readonly acknowledged: Acknowledged[] = [];
  /** Runs that a client was told about. */
  readonly startedRuns: string[] = [];
  /** Starts by name that were refused, with the reason. */
  readonly refused: { workflow: string; reason: string; marker: string }[] = [];
  /** By approval: the accepted decisions. */
  readonly decided = new Map<string, Decided[]>();
  readonly hands = new Hands();
  /** When the schedules were removed. All schedules due until then had fired. */
  schedulesEndedAt: Date | undefined;
  /** Whether there was a time without a runner. */
  wasStranded = false;

  /**
   * A runner receives a request. Results of former requests must still be there, in the same order
   * (I4). A process that lost its lease may know fewer, but no others.
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

  /** Whether a handler of the run ever received the step's result. */
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
