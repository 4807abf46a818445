/** The life of one socket, which only moves forward. */
export const phases = ['dialing', 'greeting', 'ready', 'draining', 'closed'] as const;
export type Phase = (typeof phases)[number];

type Sendable = 'hello' | 'started' | 'result' | 'lost' | 'pong';

const sendable: Record<Phase, readonly Sendable[]> = {
  dialing: [],
  greeting: ['hello', 'pong'],
  ready: ['started', 'result', 'lost', 'pong'],
  draining: ['started', 'result', 'lost', 'pong'],
  closed: [],
};

export class PhaseTracker {
  #phase: Phase = 'dialing';

  get current(): Phase {
    return this.#phase;
  }

  /** Returns false, and changes nothing, unless `to` lies ahead. */
  transition(to: Phase): boolean {
    if (phases.indexOf(to) <= phases.indexOf(this.#phase)) return false;
    this.#phase = to;
    return true;
  }

  canSend(type: Sendable): boolean {
    return sendable[this.#phase].includes(type);
  }
}
