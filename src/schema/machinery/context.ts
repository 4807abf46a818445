import type { EngineContext } from '../../engine/context.ts';
import type { IngestedEvent } from '../../engine/event-tail/index.ts';
import { type Principal, requireProject } from '../../engine/keys/index.ts';
import { AnswerMeter } from '../loaders/answerMeter.ts';
import { createLoaders, type Loaders } from '../loaders/index.ts';

/** The surface through which a call came: a decision on an approval records it (4.7). */
export type Via = 'rest' | 'graphql' | 'mcp';

export interface SchemaContextParts {
  engine: EngineContext;
  principal: Principal;
  via: Via;
  /**
   * Whether `release` is called once the answer has left: until then it holds room for large
   * payloads. Default: false.
   */
  holdsRoom?: boolean;
}

/**
 * What every resolver is given: the engine, who calls, through which surface, and this request's
 * loaders.
 */
export class SchemaContext {
  readonly engine: EngineContext;
  readonly principal: Principal;
  readonly via: Via;
  /** The event that a subscription to events told last. */
  told: IngestedEvent | undefined;
  readonly #holdsRoom: boolean;
  #loaders: Loaders | undefined;
  #meter: AnswerMeter | undefined;
  #isReleased = false;

  constructor({ engine, principal, via, holdsRoom = false }: SchemaContextParts) {
    this.engine = engine;
    this.principal = principal;
    this.via = via;
    this.#holdsRoom = holdsRoom;
  }

  /** The project that the call acts in. Throws for an operator that names none. */
  get projectId(): string {
    return requireProject(this.principal);
  }

  /** Batched reads of this project; they remember what they read. */
  get loaders(): Loaders {
    this.#loaders ??= createLoaders(this.engine, this.projectId, this.meter);
    return this.#loaders;
  }

  /**
   * What the operation has made so far. Documents of our own, behind REST, ask for no more objects
   * than a page has.
   */
  get meter(): AnswerMeter {
    this.#meter ??= this.#createMeter();
    return this.#meter;
  }

  /** Forgets what was read: after a write. */
  refresh(): void {
    this.#loaders = undefined;
    this.meter.mayWait = false;
  }

  /**
   * Begins anew, and lets go of what was read: each event of a subscription is an answer of its
   * own.
   */
  renew(): void {
    this.#meter?.release();
    this.#loaders = undefined;
    this.#meter = undefined;
  }

  /**
   * The answer has left, or nobody waits for it any more: what it holds is given back, and it is
   * given nothing from now on, whatever of the operation is still under way.
   */
  release(): void {
    this.#isReleased = true;
    this.#meter?.release();
  }

  #createMeter(): AnswerMeter {
    const { answerMaxObjects, answerMaxBytes } = this.engine.settings.limits;
    const meter = new AnswerMeter({
      maxObjects: this.via === 'rest' ? Number.POSITIVE_INFINITY : answerMaxObjects,
      maxBytes: answerMaxBytes,
      room: this.engine.payloadRoom,
      holdsRoom: this.#holdsRoom,
    });
    if (this.#isReleased) meter.release();
    return meter;
  }
}

/** A context for one request; it must not outlive it, or it would answer from memory. */
export const createSchemaContext = (parts: SchemaContextParts): SchemaContext => new SchemaContext(parts);
