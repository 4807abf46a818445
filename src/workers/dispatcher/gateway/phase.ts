import type { ServiceFrame } from '@holdfast/sdk/protocol';

/**
 * The life of a runner's socket, in order.
 * - `greeting`: open and authenticated; a hello is due.
 * - `registering`: the hello was well formed and is being entered into the registry.
 * - `ready`: takes invokes.
 * - `draining`: takes no new invokes, and answers its open ones. The runner was asked to connect
 *   elsewhere, or is closing.
 * - `closing`: our close frame is sent; frames of the peer are dropped.
 * - `closed`: the socket is closed.
 */
export const phases = ['greeting', 'registering', 'ready', 'draining', 'closing', 'closed'] as const;
export type Phase = (typeof phases)[number];

export type SentFrameKind = ServiceFrame['type'];

const writable: Readonly<Record<Phase, readonly SentFrameKind[]>> = {
  greeting: ['error'],
  registering: ['error'],
  ready: ['ready', 'invoke', 'continue', 'ping', 'cancel', 'drain', 'error'],
  draining: ['ping', 'cancel', 'drain', 'error'],
  closing: [],
  closed: [],
};

/** The phase of a socket. It only goes forward (G1). */
export class PhaseTrack {
  #current: Phase = 'greeting';
  readonly #onChange: (change: { from: Phase; to: Phase; reason: string }) => void;

  constructor(onChange: (change: { from: Phase; to: Phase; reason: string }) => void) {
    this.#onChange = onChange;
  }

  get current(): Phase {
    return this.#current;
  }

  /** Answers false, and changes nothing, if that phase is reached or past. */
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

  /** Whether frames are not read any more. */
  get isOver(): boolean {
    return this.#current === 'closing' || this.#current === 'closed';
  }
}
