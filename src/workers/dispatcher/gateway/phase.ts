import type { ServiceFrame } from '@holdfast/sdk/protocol';

/**
 * The life of a runner's socket, in order.
 * - `greeting`: open and authenticated; a hello is due.
 * - `registering`: the hello was well formed and is being entered into the registry.
 * - `ready`: takes invokes.
 * - `draining`: takes no more invokes, because it was told to reconnect elsewhere or is closing;
 *   answers what it has.
 * - `closing`: our close frame is out; whatever it says is dropped.
 * - `closed`: gone.
 */
export const phases = ['greeting', 'registering', 'ready', 'draining', 'closing', 'closed'] as const;
export type Phase = (typeof phases)[number];

export type SentFrameKind = ServiceFrame['type'];

const writable: Readonly<Record<Phase, readonly SentFrameKind[]>> = {
  greeting: ['error'],
  registering: ['error'],
  ready: ['ready', 'invoke', 'ping', 'cancel', 'drain', 'error'],
  draining: ['ping', 'cancel', 'drain', 'error'],
  closing: [],
  closed: [],
};

/** Where a socket is in its life. It only goes forward. */
export class PhaseTrack {
  #current: Phase = 'greeting';
  readonly #onChange: (change: { from: Phase; to: Phase; reason: string }) => void;

  constructor(onChange: (change: { from: Phase; to: Phase; reason: string }) => void) {
    this.#onChange = onChange;
  }

  get current(): Phase {
    return this.#current;
  }

  /** False, and nothing happens, when that phase is reached or past. */
  transition(to: Phase, reason: string): boolean {
    const from = this.#current;
    if (phases.indexOf(to) <= phases.indexOf(from)) return false;
    this.#current = to;
    this.#onChange({ from, to, reason });
    return true;
  }

  canWrite(kind: SentFrameKind): boolean {
    return writable[this.#current].includes(kind);
  }

  /** Whether anything more is read. */
  get isOver(): boolean {
    return this.#current === 'closing' || this.#current === 'closed';
  }
}
