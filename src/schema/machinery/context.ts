import type { EngineContext } from '../../engine/context.ts';
import type { IngestedEvent } from '../../engine/event-tail/index.ts';
import { type KeyTurn, type Principal, requireProject } from '../../engine/keys/index.ts';
import { withoutQuery } from '../../engine/net/index.ts';
import { Operation } from '../../engine/operation.ts';
import type { CallOrigin } from '../../engine/origin.ts';
import { AnswerMeter, compiledFieldsPerTurn } from '../loaders/answerMeter.ts';
import { Loaders } from '../loaders/index.ts';

/** The surface of a call: a decision on an approval records it (4.7). */
export type Via = 'rest' | 'graphql' | 'mcp';

export interface SchemaContextParts {
  engine: EngineContext;
  principal: Principal;
  via: Via;
  /** The place of the request among those of its key. Absent: it needs none. */
  turn?: KeyTurn | undefined;
  /** The agent that calls. */
  origin?: CallOrigin | undefined;
}

/**
 * The engine, the caller, the surface of the call and the loaders of this request, for every
 * resolver. `release` must be called once the answer has been sent, or its caller has gone.
 */
export class SchemaContext {
  /** The engine for this operation: the share of its project. */
  readonly engine: EngineContext;
  readonly #operation: Operation;
  readonly principal: Principal;
  readonly via: Via;
  /** The place of the request among those of its key. Absent: it needs none. */
  turn: KeyTurn | undefined;
  /** The event that a subscription to events delivered last. */
  lastEvent: IngestedEvent | undefined;
  #loaders: Loaders | undefined;
  #meter: AnswerMeter | undefined;
  #isReleased = false;
  readonly #onRelease = new Set<() => void>();

  constructor({ engine, principal, via, turn, origin }: SchemaContextParts) {
    this.#operation = new Operation(engine, principal.projectId, origin);
    this.engine = this.#operation.engine;
    this.principal = principal;
    this.via = via;
    this.turn = turn;
  }

  /** The project of the call. Throws for an operator that names none. */
  get projectId(): string {
    return requireProject(this.principal);
  }

  /**
   * A URL, or a runner's id that may be one. Public keys and agents see no query, which may hold a
   * secret.
   */
  shownUrl(text: string): string {
    return this.principal.kind === 'public' || this.via === 'mcp' ? withoutQuery(text) : text;
  }

  /** Batched reads of this project; they remember what they read. */
  get loaders(): Loaders {
    this.#loaders ??= new Loaders(this.engine, this.projectId, this.meter);
    return this.#loaders;
  }

  /** Measures the operation. Our own documents ask for no more objects than a page has. */
  get meter(): AnswerMeter {
    this.#meter ??= this.#createMeter();
    return this.#meter;
  }

  /** Whether the answer has been sent, or its caller has gone. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  /**
   * Calls `then` when the answer has been sent or its caller has gone, at once if that has
   * happened. Returns a function that cancels the call.
   */
  whenReleased(then: () => void): () => void {
    // Wrapped, so that the same function can be added twice.
    const call = (): void => then();
    if (this.#isReleased) call();
    else this.#onRelease.add(call);
    return () => void this.#onRelease.delete(call);
  }

  /** Forgets all reads, after a write. */
  refresh(): void {
    this.#loaders = undefined;
    this.meter.mayWait = false;
  }

  /** Starts a new answer without earlier reads: each event of a subscription is an answer. */
  renew(): void {
    this.#meter?.release();
    this.#loaders = undefined;
    this.#meter = undefined;
  }

  /** Executes the operation at its project's turn. Throws `busy` if the turn does not come. */
  atTurn<T>(execute: () => Promise<T>): Promise<T> {
    return this.#operation.run(execute);
  }

  /**
   * Waits for something else than payloads. Meanwhile others have the memory and the turns. As at
   * the beginning, the place among the requests of the key comes before the project's turn: nobody
   * who has a turn waits for a place.
   */
  whileIdle<T>(wait: () => Promise<T>): Promise<T> {
    const { turn } = this;
    const idly = (): Promise<T> => (turn ? turn.whileWaiting(wait) : wait());
    return this.meter.whileIdle(() => this.#operation.whileIdle(idly));
  }

  /** Ends the reads: the operation has been executed. */
  finish(): void {
    this.#meter?.finish();
  }

  /**
   * The answer has been sent, or its caller has gone. Its memory is free, and parts of the
   * operation that are still running get none. An operation that waits for its turn is dropped.
   */
  release(): void {
    this.#isReleased = true;
    this.#operation.drop();
    this.#meter?.release();
    for (const call of this.#onRelease) call();
    this.#onRelease.clear();
  }

  #createMeter(): AnswerMeter {
    const { answerMaxObjects, answerMaxBytes, pageMaxBytes } = this.engine.settings.limits;
    const isOurs = this.via !== 'graphql';
    const meter = new AnswerMeter({
      maxObjects: isOurs ? Number.POSITIVE_INFINITY : answerMaxObjects,
      maxBytes: answerMaxBytes,
      room: this.engine.payloadRoom,
      // Our documents load their payloads at once.
      reservedBytes: isOurs ? 0 : pageMaxBytes,
      ...(isOurs && { fieldsPerTurn: compiledFieldsPerTurn }),
    });
    if (this.#isReleased) meter.release();
    return meter;
  }
}

/** A context for one request. A second request would be answered from its memory. */
export const createSchemaContext = (parts: SchemaContextParts): SchemaContext => new SchemaContext(parts);
