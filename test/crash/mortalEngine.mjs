// An engine in a process of its own, without sockets, that can be made to die at a named place.
//
// Environment: DIST (url of the built service). Argument: the scenes to be played one after the
// other, as JSON.
import { createHash } from 'node:crypto';
import { pino } from 'pino';

export const load = (path) => import(new URL(path, process.env.DIST).href);
const { dieAt, onFailPoint } = await load('engine/db/failPoints.js');
const { openDatabase } = await load('engine/db/pool/open.js');
const { writingStatements } = await load('engine/db/statement.js');
const { createEngine } = await load('engine/assembly/createEngine.js');
const { claimRuns, invokeText, settlePass } = await load('engine/passes/index.js');
const { RawJson } = await load('engine/json/index.js');
const { triggerWorkflow } = await load('engine/admission/index.js');
const { registerRunner } = await load('engine/runners/index.js');
const { heartbeatMs, registerDispatcher, retireDispatcher, tickDispatcher } = await load('engine/dispatchers/index.js');
const { ensureDefaultProject } = await load('engine/projects/index.js');
// Keys and tickets are not used here, but their statements count among those of the engine.
await load('engine/keys/index.js');
await load('engine/tickets/index.js');

export const idOf = (name) => createHash('sha256').update(name).digest('hex');
export const opcode = (op, name, rest) => ({ op, id: idOf(name), name, ...rest });

/**
 * Plays the story of a service (a function of a `MortalEngine`) once per scene, each on a database
 * of its own. A scene: `url`; `failPoint`, where to die; `aheadMs`, how far its clock is ahead.
 * Prints a line for each that came to its end.
 */
export async function playScenes(story) {
  for (const scene of JSON.parse(process.argv[2])) {
    const mortal = new MortalEngine(scene, await openDatabase({ url: scene.url }));
    await story(mortal);
    await mortal.close();
  }
}

export class MortalEngine {
  #aheadMs;
  #reached = new Set();

  constructor({ failPoint, aheadMs = 0 }, db) {
    this.db = db;
    this.#aheadMs = aheadMs;
    const now = () => this.now();
    this.engine = createEngine({
      db,
      log: pino({ level: 'silent' }),
      clock: { now, sql: now },
      settings: { operatorKey: 'crash test', allowPrivateTargets: true },
    });
    const die = failPoint ? dieAt(failPoint) : undefined;
    onFailPoint((point) => {
      this.#reached.add(point);
      return die?.(point);
    });
  }

  now() {
    return new Date(Date.now() + this.#aheadMs);
  }

  /** Lets time pass at once. */
  advance(ms) {
    this.#aheadMs += ms;
  }

  /** Registers a runner that serves the workflows, and a dispatcher. */
  async open(workflows) {
    const { id } = await ensureDefaultProject(this.engine);
    // The keys are not used here, but their statements count among those of the engine.
    await load('engine/keys/index.js');
    this.projectId = id;
    await this.register(workflows);
    this.dispatcherId = await registerDispatcher(this.engine);
    // Only after some beats does it judge what one before it has left.
    for (let beats = 0; beats < 3; beats += 1) {
      this.advance(heartbeatMs);
      await this.beat();
    }
  }

  register(workflows) {
    const registration = { app: 'default', runner: 'r', url: 'http://127.0.0.1:9/', workflows };
    return registerRunner(this.engine, { projectId: this.projectId, registration });
  }

  beat() {
    return tickDispatcher(this.engine, this.dispatcherId);
  }

  /** Starts a run by hand; a second call with the same number starts none. */
  trigger(name, n) {
    const input = { input: RawJson.of({ n }), dedupeId: `${name}-${n}` };
    return triggerWorkflow(this.engine, { projectId: this.projectId, app: 'default', name, input });
  }

  /** Leases what is ready of the workflows. */
  async claim(workflows) {
    const { dispatcherId } = this;
    const text = 'select id from lane where workflow = any($1)';
    const { rows } = await this.db.query({ text, values: [workflows] });
    const groups = rows.map(({ id }) => ({ laneIds: [id], limit: 50 }));
    return (await claimRuns(this.engine, { dispatcherId, groups })).passes;
  }

  /**
   * Invokes the handler, a function from the request to status and body, until the run is released.
   */
  async drive(pass, handle) {
    for (;;) {
      const [status, body] = handle(JSON.parse(invokeText(pass)));
      const reply = { kind: 'answer', status, body: JSON.stringify(body), elapsedMs: 1 };
      if ((await settlePass(this.engine, pass, reply)) === 'released') return;
    }
  }

  /** Prints the fail-points that were reached, and the statements that have some. */
  async close() {
    await retireDispatcher(this.engine, this.dispatcherId);
    onFailPoint(undefined);
    await this.db.close();
    console.log(JSON.stringify({ reached: [...this.#reached], declared: writingStatements() }));
  }
}
