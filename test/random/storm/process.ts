import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { pino } from 'pino';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { parameterNames } from '../../../src/engine/db/statement.ts';
import { heartbeatMs, registerDispatcher, tickDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { type NewRun, offerEagerStarts } from '../../../src/engine/ingest/index.ts';
import {
  claimRuns,
  continueText,
  invokeText,
  type Pass,
  type Reply,
  settlePass,
  startedPass,
} from '../../../src/engine/passes/index.ts';
import { releaseRuns, releaseSuspects } from '../../../src/engine/work/index.ts';
import { agree } from '../kit/agree.ts';
import { type Coverage, trace } from '../kit/coverage.ts';
import type { Turns } from '../kit/turns.ts';
import type { Program } from '../program/program.ts';
import { contextIn, continuedRequest, pendingIn, settledIn } from './continued.ts';
import type { Ledger } from './ledger.ts';
import { Died, Lost, Mortal } from './mortal.ts';
import { agreeThatTimesAreKept } from './overdue.ts';
import { replyTo } from './replyTo.ts';

/**
 * A pass in progress: claimed, perhaps invoked, perhaps answered without the service's knowledge.
 */
export interface Flight {
  pass: Pass;
  reply: Reply | undefined;
  isBusy: boolean;
  /** The last request and its answer, as the runner has them that holds the handler. */
  held?: { request: InvokeRequest; reply: Reply } | undefined;
  passes?: number;
}

/** The parts that the processes of one storm share. */
export interface Scene {
  /** The database below each `Mortal`. */
  shared: Database;
  /** For the test's own queries. */
  db: Database;
  turns: Turns;
  projectId: string;
  programs: ReadonlyMap<string, Program>;
  ledger: Ledger;
  coverage: Coverage;
  /** The lanes of all workflows. */
  laneIds: readonly number[];
  /** The ceiling of executing runs; 0 for none. */
  ceiling: number;
  /** Whether an endpoint is told of every change. */
  hasEndpoint: boolean;
}

const log = pino({ level: process.env['TEST_LOG'] ?? 'silent' });

/**
 * A process of the service with its dispatcher and its runner. The process acts only on request,
 * and may die at any statement.
 */
export class Process {
  readonly mortal: Mortal;
  readonly engine: EngineContext;
  readonly flights = new Map<string, Flight>();
  readonly #scene: Scene;
  /** A copy of the last settled pass, with its answer, to settle it again. */
  #settled: { pass: Pass; reply: Reply } | undefined;
  /** Whether runs that start here are executed here at once. */
  isWelcoming = false;
  #starting: Promise<unknown> | undefined;
  id = '';

  constructor(scene: Scene) {
    this.#scene = scene;
    this.mortal = new Mortal(scene.shared, scene.turns, {
      died: (place) => {
        scene.coverage.count('died', place);
        trace('died', { by: this.id.slice(-4), place });
      },
      lost: (place) => {
        scene.coverage.count('connection lost', place);
        trace('lost', { by: this.id.slice(-4), place });
      },
      deadlocked: (place) => this.#noteDeadlock(place),
      answered: (statement, values, rows) => {
        this.#noteLost(statement, values, rows);
        this.#noteRuns(statement, values, rows);
      },
    });
    this.engine = createEngine({
      db: this.mortal.db,
      log,
      settings: { operatorKey: 'test operator key', allowPrivateTargets: true },
    });
    offerEagerStarts(this.engine, () => this.#reserve());
  }

  /**
   * Reserves a slot for a run that starts here, as a dispatcher with a free runner does. No claim
   * follows.
   */
  #reserve() {
    const { id: dispatcherId } = this;
    if (dispatcherId === '' || !this.isWelcoming) return undefined;
    const begin = (run: NewRun, startedAt: Date): void => void this.#begin(run, { dispatcherId, startedAt });
    return { dispatcherId, begin, cancel: () => undefined };
  }

  async #begin(run: NewRun, lease: { dispatcherId: string; startedAt: Date }): Promise<void> {
    const pass = await this.attempt(() => startedPass(this.engine, run, lease));
    if (pass) this.flights.set(run.runId, { pass, reply: undefined, isBusy: false });
    else await this.attempt(() => releaseRuns(this.engine, lease.dispatcherId, [run.runId]));
    this.#scene.coverage.count('start', 'leased at once');
  }

  async start(): Promise<this> {
    this.id = await registerDispatcher(this.engine);
    return this;
  }

  /** Starts the process once for all callers. If it dies of that, it is dead for all of them. */
  ready(): Promise<this> {
    this.#starting ??= this.id === '' ? this.attempt(() => this.start()) : Promise.resolve();
    return this.#starting.then(() => this);
  }

  /** Runs `work`, which ends silently if the process dies of it or its connection breaks. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Died || error instanceof Lost) return undefined;
      throw error;
    }
  }

  /** An answer without a valid lease is not written, so the runner's work is repeated. */
  #noteLost(statement: string, values: readonly unknown[], rows: readonly unknown[]): void {
    const { ledger, coverage } = this.#scene;
    if (this.id === '' || (statement !== 'commitPasses' && statement !== 'lockLease')) return;
    const [runIds, ords]: [unknown, unknown[]] =
      statement === 'lockLease'
        ? [[valueNamed(statement, 'runId', values)], rows.map(() => 0)]
        : [
            valueNamed(statement, 'passes.runId', values),
            rows.map((row) => (typeof row === 'object' && row && 'ord' in row ? row.ord : undefined)),
          ];
    if (!Array.isArray(runIds)) throw new Error(`${statement} names its runs otherwise`);
    for (const [ord, runId] of runIds.entries()) {
      if (ords.includes(ord)) continue;
      ledger.lose(String(runId));
      coverage.count('fault', 'late answer');
    }
  }

  /**
   * Locks have one order, with one exception: a run that is displaced may be displacing itself by
   * an event that it emits. PostgreSQL aborts one of the two.
   */
  #noteDeadlock(place: string): void {
    const { programs, ledger, coverage } = this.#scene;
    const mayDisplace = [...programs.values()].some(({ flow }) => flow?.singleton && flow.singleton.mode !== 'skip');
    if (mayDisplace) coverage.count('race', 'two displaced each other');
    else ledger.violations.push(`${place} ran into a deadlock`);
  }

  /** Records runs that were gated, released or woken. */
  #noteRuns(statement: string, values: readonly unknown[], rows: readonly unknown[]): void {
    const { coverage } = this.#scene;
    const gates = statement === 'gateRuns' ? valueNamed(statement, 'gatings.gate', values) : [];
    if (!Array.isArray(gates)) throw new Error(`${statement} names its gates otherwise`);
    for (const each of gates) coverage.count('gate', String(each));
    if (['openSlots', 'openCeilings'].includes(statement) && rows.length > 0) coverage.count('gate', statement);
    if (statement === 'endOverdue' && rows.length > 0) coverage.count('time', 'over while executed');
  }

  async claim(limit: number): Promise<number> {
    const groups = this.#scene.laneIds.map((laneId) => ({ laneIds: [laneId], limit }));
    const { passes } = await claimRuns(this.engine, { dispatcherId: this.id, groups });
    trace('claimed', { by: this.id.slice(-4), runs: passes.map((each) => each.runId) });
    await agreeThatTimesAreKept(this.#scene, passes);
    for (const pass of passes) {
      // The runner's answer under a former claim is not sent any more.
      const former = this.flights.get(pass.runId);
      if (former?.reply && !former.isBusy) this.#scene.ledger.lose(pass.runId);
      this.flights.set(pass.runId, { pass, reply: undefined, isBusy: false });
    }
    return passes.length;
  }

  /** The runner executes the pass, and its answer stays in transit. */
  invoke(flight: Flight, isNoisy = false): Reply {
    const { ledger, coverage, programs } = this.#scene;
    const request = this.#request(flight);
    ledger.receive(request);
    flight.reply = replyTo(request, programs, { ledger, coverage, isNoisy });
    flight.held = { request, reply: flight.reply };
    trace('invoke', { by: this.id.slice(-4), request, reply: flight.reply });
    return flight.reply;
  }

  /**
   * The request of a pass, as its runner has it. Of four passes after a first one, three continue
   * the last request by what is new: that must tell as much as the full request.
   */
  #request(flight: Flight): InvokeRequest {
    const { held, pass } = flight;
    flight.passes = (flight.passes ?? 0) + 1;
    const members = held && flight.passes % 4 > 0 ? continueText(pass) : undefined;
    const full: InvokeRequest = JSON.parse(invokeText(pass));
    if (!held || members === undefined) return full;
    this.#scene.coverage.count('pass', 'continued');
    const continued = continuedRequest(held, JSON.parse(`{${members}}`));
    const toldBy = (request: InvokeRequest) => [settledIn(request), pendingIn(request), contextIn(request)];
    agree(`a continued pass of run ${pass.runId}`, toldBy(continued), toldBy(full));
    return full;
  }

  async answer(flight: Flight, isNoisy = false): Promise<void> {
    // While this move waited for its turn, another may have answered and released the run.
    if (flight.isBusy || this.flights.get(flight.pass.runId) !== flight) return;
    const reply = flight.reply ?? this.invoke(flight, isNoisy);
    await this.settle(flight, reply);
  }

  async settle(flight: Flight, reply: Reply): Promise<void> {
    const { pass } = flight;
    flight.isBusy = true;
    const copy = { ...pass };
    const isHeld = reply.kind === 'answer' && reply.status === 206 && flight.held !== undefined;
    const settlement = await settlePass(this.engine, pass, isHeld ? { ...reply, isHeld } : reply);
    this.#settled = { pass: copy, reply };
    trace('settled', { by: this.id.slice(-4), runId: pass.runId, settlement, isDead: this.mortal.isDead });
    if (this.mortal.isDead) return;
    if (settlement === 'again') await agreeThatTimesAreKept(this.#scene, [pass]);
    flight.isBusy = false;
    flight.reply = undefined;
    if (settlement === 'released' && this.flights.get(pass.runId) === flight) this.flights.delete(pass.runId);
  }

  /** The last answer arrives again, in another process. The service must not accept it. */
  async repeat(): Promise<void> {
    if (!this.#settled) return;
    const { pass, reply } = this.#settled;
    const { engine } = new Process(this.#scene);
    const settlement = await settlePass(engine, { ...pass }, reply);
    if (settlement === 'released') return;
    this.#scene.ledger.violations.push(`an answer for run ${pass.runId} was taken twice`);
  }

  /** Invokes until the run is released. */
  async drive(flight: Flight): Promise<void> {
    for (let turn = 0; this.flights.get(flight.pass.runId) === flight; turn += 1) {
      if (turn > 200) throw new Error(`run ${flight.pass.runId} is invoked for ever`);
      await this.answer(flight);
    }
  }

  /** Advances time while only this process beats, until it has found the others dead. */
  async tickAlone(advance: (ms: number) => Promise<void>): Promise<void> {
    for (let beats = 0; beats < 3; beats += 1) {
      await this.tick();
      await advance(heartbeatMs);
    }
    await this.tick();
  }

  async tick(): Promise<void> {
    const { alive } = await tickDispatcher(this.engine, this.id);
    if (alive) return releaseSuspects(this.engine, this.id);
    this.#scene.coverage.count('recovery', 'found dead itself');
    this.id = await registerDispatcher(this.engine);
  }

  /** Its leases are lost. */
  bury(): void {
    for (const { pass } of this.flights.values()) this.#scene.ledger.lose(pass.runId);
    this.flights.clear();
    this.mortal.kill();
  }
}

const valueNamed = (statement: string, parameter: string, values: readonly unknown[]): unknown =>
  values[parameterNames(statement).indexOf(parameter)];
