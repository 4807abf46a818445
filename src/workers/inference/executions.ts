/**
 * Executes leased calls, from the opened request to the recorded end.
 *
 * Owns: the order of the steps of one call, and requests under way.
 * Does not own: claims and the heartbeat, which are the caller's; writes and their repetitions (E2,
 * E4: `callRecords.ts`).
 *
 * Invariants:
 * E1. A request leaves only after its send was committed, under the fence of its lease.
 * E3. Every flight lands.
 */
import type { EngineContext } from '../../engine/context.ts';
import {
  type BegunSend,
  type CacheRef,
  type CallOutcome,
  cacheKeyOf,
  costOf,
  inferenceTally,
  isCacheable,
  type ProviderAccess,
  priceOf,
  type SendEnding,
  type SendStart,
  type Settled,
  type Settlement,
  type StepAi,
} from '../../engine/inference/index.ts';
import type { Accesses } from './accesses.ts';
import { CallRecords, warnOfCall } from './callRecords.ts';
import { checkAnswer } from './checkAnswer.ts';
import { type Decision, decide, decideRepetition } from './decide.ts';
import { type Flight, Flights } from './flights.ts';
import type { HeldCall } from './heldCalls.ts';
import { memoOfHit } from './memo.ts';
import type { CallLimits, ModelCall } from './provider/index.ts';
import { type ReadCall, readCall, sealReask } from './readCall.ts';
import { refused } from './refused.ts';
import { Setbacks } from './setbacks.ts';

/** Sends a request, once. */
export type CallModel = (call: ModelCall) => Promise<SendEnding>;

/** What the executions need of their caller. */
export interface ExecutionsHost {
  /** A call that was not sent goes back into the queue, and is due again after a time. */
  release(held: HeldCall, inMs: number): void;
  /** A call has ended. It may be sent again after a time. */
  ended(held: HeldCall, inMs: number | undefined): void;
  /** An answer was lost, so there may be leases that this process does not know. */
  suspect(): void;
  /** Whether no further request may leave. */
  isDraining(): boolean;
}

export interface ExecutionsSetup {
  engine: EngineContext;
  accesses: Accesses;
  callModel: CallModel;
  /** Transactions at once. */
  writes: number;
  host: ExecutionsHost;
}

/** A call that can be sent. */
interface Ready extends ReadCall {
  access: ProviderAccess;
  /** Undefined: the cache is neither asked nor filled. */
  cached: CacheRef | undefined;
  ai: StepAi;
}

export class Executions {
  readonly #setup: ExecutionsSetup;
  readonly #flights = new Flights();
  readonly #setbacks = new Setbacks();
  readonly #records: CallRecords;

  constructor(setup: ExecutionsSetup) {
    this.#setup = setup;
    this.#records = new CallRecords(setup.engine, setup);
  }

  /**
   * Executes a call until its end is recorded, or until it went back. Never rejects. `begun`: its
   * send is in the ledger already.
   */
  async execute(held: HeldCall, begun?: BegunSend): Promise<void> {
    const { engine, host } = this.#setup;
    try {
      await this.#execute(held, begun);
    } catch (error) {
      warnOfCall(engine, held, { error, message: 'a model call could not be executed: releasing it' });
      // A request that may have left is no call that goes back. Its lease is freed as a stray.
      if (held.phase === 'preparing') host.release(held, this.#setbacks.add(held.call));
      else host.ended(held, undefined);
      host.suspect();
    }
  }

  /** Repeats no further write. */
  stop(): void {
    this.#records.stop();
  }

  async #execute(held: HeldCall, begun: BegunSend | undefined): Promise<void> {
    const { engine, host } = this.#setup;
    const { limits } = engine.settings;
    const ready = await this.#prepare(held);
    if ('kind' in ready) {
      // The release ends a send that did not leave.
      if (begun) return host.release(held, 0);
      await this.#settle(held, { outcome: ready });
      return;
    }
    const { cached } = ready;
    if (!cached) return this.#send(held, ready, { begun });
    const name = `${cached.projectId} ${cached.key.toString('base64')}`;
    // No key limits the number of looks into the cache.
    const mostFollowers = held.call.looksUp ? limits.inferenceProcessConcurrency / 2 : Number.POSITIVE_INFINITY;
    const { flight, memo } = await this.#flights.join(name, { signal: held.signal, mostFollowers });
    try {
      if (held.signal.aborted) return host.release(held, 0);
      if (memo !== undefined) return await this.#hit(held, ready, memo);
      await this.#lookUp(held, { ...ready, cached }, flight);
    } finally {
      flight?.land('failed');
    }
  }

  /** Opens the request, and finds the way to its provider. An outcome: it cannot be sent. */
  async #prepare({ call }: HeldCall): Promise<Ready | CallOutcome> {
    const { engine, accesses } = this.#setup;
    const { projectId, provider, afterUnknown, failures } = call;
    const read = readCall(engine, call);
    if (typeof read === 'string') return refused(read, {});
    const isEligible = isCacheable(read.original);
    const ai: StepAi = { warnings: read.warnings, ...(isEligible ? { cacheHit: false } : {}) };
    const found = await accesses.get(projectId, provider);
    if ('reason' in found) return refused(found.reason, ai);
    const ended = decideRepetition(read.original, { afterUnknown, failures, ai });
    if (ended) return ended;
    const { access } = found;
    const question = { projectId, baseUrl: access.baseUrl, request: read.original };
    const cached = isEligible ? { projectId, key: cacheKeyOf(engine, question) } : undefined;
    return { ...read, access, cached, ai };
  }

  async #lookUp(held: HeldCall, ready: Ready & { cached: CacheRef }, flight: Flight | undefined): Promise<void> {
    const kept = await this.#records.readCached(ready.cached);
    if (kept !== undefined) {
      flight?.land({ memo: kept });
      return this.#hit(held, ready, kept);
    }
    if (!held.call.looksUp) return this.#send(held, ready, { flight });
    flight?.land('missed');
    await this.#records.unholdLook(held);
    this.#setup.host.ended(held, 0);
  }

  async #hit(held: HeldCall, { ai }: Ready, memo: string): Promise<void> {
    const { output, finishReason } = memoOfHit(memo);
    inferenceTally(this.#setup.engine).cacheHits += 1;
    await this.#settle(held, { outcome: { kind: 'succeeded', output, ai: { ...ai, finishReason, cacheHit: true } } });
  }

  /** E1 */
  async #send(
    held: HeldCall,
    ready: Ready,
    { flight, begun }: { flight?: Flight | undefined; begun?: BegunSend | undefined },
  ): Promise<void> {
    const { engine, host } = this.#setup;
    const mayLeave = (): boolean => !held.signal.aborted && !host.isDraining();
    if (!mayLeave()) return host.release(held, 0);
    const { original, request } = ready;
    const price = priceOf(original, engine.settings.inference.prices);
    const start: SendStart = begun ? { kind: 'send', ...begun } : await this.#records.begin(held, price, mayLeave);
    this.#setbacks.forget(held.call);
    if (start.kind !== 'send') return host.ended(held, undefined);
    if (!mayLeave()) return host.release(held, 0);
    held.phase = 'sending';
    const sentMs = performance.now();
    const ending = await this.#call({ request, access: ready.access, ...start, signal: held.signal }, held);
    const latencyMs = Math.round(performance.now() - sentMs);
    const cost = ending.outcome === 'refused' ? undefined : costOf(price, ending.usage);
    const decision = this.#decide(held, ready, { ending, cost });
    const { number, startedAt } = start;
    const send = { number, startedAt, ending, cost, latencyMs, isCacheMiss: ready.ai.cacheHit === false };
    const settled = await this.#settle(held, { send, outcome: this.#outcomeOf(held, ready, decision) });
    if (settled === 'settled' && decision.kind === 'succeeded') await this.#keep(ready, decision, flight);
  }

  async #call(
    { request, access, idempotencyKey, signal }: Pick<ModelCall, 'request' | 'access' | 'idempotencyKey' | 'signal'>,
    held: HeldCall,
  ): Promise<SendEnding> {
    const { provider, model } = held.call;
    const { engine, callModel } = this.#setup;
    const { clock, settings } = engine;
    const { connectMs, idleMs, timeoutMs } = settings.inference;
    const limits: CallLimits = { connectMs, idleMs, timeoutMs, maxBytes: settings.limits.inferenceMaxBytes };
    const tally = inferenceTally(engine);
    tally.inFlight += 1;
    try {
      const ending = await callModel({ request, access, idempotencyKey, limits, signal, now: () => clock.now() });
      const usage = ending.outcome === 'refused' ? {} : ending.usage;
      tally.ended({ provider, model, outcome: ending.outcome, usage });
      return ending;
    } catch (error) {
      // E4. The request may have left.
      warnOfCall(engine, held, { error, message: 'a request to a model ended unexpectedly' });
      tally.ended({ provider, model, outcome: 'unknown', usage: {} });
      return { outcome: 'unknown', usage: {}, message: 'the request could not be executed' };
    } finally {
      tally.inFlight -= 1;
    }
  }

  #decide(
    { call: { failures, reasked }, isHandedOn }: HeldCall,
    { request, ai }: Ready,
    { ending, cost }: { ending: SendEnding; cost: number | undefined },
  ): Decision {
    const situation = { request, failures, reasked, isHandedOn, cost, ai, random: Math.random() };
    try {
      return decide(ending, situation, (answer) => checkAnswer(request, answer));
    } catch {
      return refused('the answer could not be checked against the schema', ai);
    }
  }

  #outcomeOf({ call }: HeldCall, { ai }: Ready, decision: Decision): CallOutcome {
    if (decision.kind === 'held') inferenceTally(this.#setup.engine).held(call.provider);
    if (decision.kind !== 'reask') return decision;
    try {
      return { kind: 'again', inMs: 0, reask: sealReask(this.#setup.engine, call, decision.messages) };
    } catch {
      return refused('the model could not be asked again', ai);
    }
  }

  async #keep(
    { cached }: Ready,
    { output, ai }: Extract<Decision, { kind: 'succeeded' }>,
    flight: Flight | undefined,
  ): Promise<void> {
    if (!cached || ai.finishReason !== 'stop') return;
    await this.#records.keep(cached, output);
    flight?.land({ memo: output });
  }

  async #settle(held: HeldCall, settlement: Omit<Settlement, 'processId'>): Promise<Settled> {
    held.phase = 'settling';
    const { settled, outcome } = await this.#records.settle(held, settlement);
    this.#setup.host.ended(held, outcome.kind === 'again' ? outcome.inMs : undefined);
    return settled;
  }
}
