import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Holdfast } from '@holdfast/sdk';
import { pino } from 'pino';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { agree } from '../kit/agree.ts';
import { Coverage } from '../kit/coverage.ts';
import { type Draw, drawFrom } from '../kit/turns.ts';
import { KillClient, pause } from './client.ts';
import { defineFlows, expectedResult, type FlowLedger } from './flows.ts';
import { checkGates } from './gateCheck.ts';
import { GateLedger } from './gateLedger.ts';
import { GateLoad } from './gateLoad.ts';
import { defineGates } from './gates.ts';
import { GateWatch, inHand } from './gateWatch.ts';
import { KillSlot } from './slot.ts';

/** The maximum number of open runs, without those of workflows with policies. */
const maxOpen = 60;
/** Generous: a busy machine needs its time. */
const liveMs = 300_000;
const rolesOfSecond = [undefined, 'dispatcher', 'api,dispatcher', 'dispatcher,scheduler', 'dispatcher,webhooks'];
interface Place {
  database: TestDatabase;
  dataDir: string;
  slots: KillSlot[];
}

/** Lost connections are expected here. */
const logger = {
  info: () => undefined,
  warn: () => undefined,
  error: (message: string) => console.error(message),
};

/**
 * Two processes of the service on one database, each with a runner. A client starts runs and sends
 * the events that they wait for, to whichever process answers. Others start runs under flow
 * control.
 */
export class KillWorld {
  readonly coverage = new Coverage();
  readonly #draw: Draw;
  readonly #database: TestDatabase;
  readonly #dataDir: string;
  readonly #slots: KillSlot[];
  readonly #ledger: FlowLedger = { entered: new Map(), acknowledged: new Set(), violations: [] };
  readonly #runs = new Map<number, string>();
  readonly #gateLedger = new GateLedger();
  readonly #gateLoad: GateLoad;
  readonly #watch: GateWatch;
  readonly #client: KillClient;
  readonly #connections: readonly Connection[];
  #next = 0;
  #strikes = 0;
  #isOver = false;
  /** Live processes that were found silent, up to the last check. */
  #silences = 0;
  /** The longest start of a process. */
  longestStartMs = 0;

  private constructor(draw: Draw, { database, dataDir, slots }: Place) {
    this.#draw = draw;
    this.#database = database;
    this.#dataDir = dataDir;
    this.#slots = slots;
    const clients = slots.map(({ baseUrl, apiKey }) => new Holdfast({ baseUrl, apiKey, app: 'kills', logger }));
    this.#client = new KillClient(clients, this.coverage);
    // The speed of real processes decides how much the client sends. So it has a random source of
    // its own.
    this.#gateLoad = new GateLoad(this.#client, drawFrom(draw(2 ** 31)));
    this.#watch = new GateWatch(database.db, this.coverage);
    this.#connections = clients.map((hf, position) => {
      defineFlows(hf, this.#ledger);
      defineGates(hf, this.#gateLedger);
      // The second runner can hold few handlers: most of its passes are full ones.
      return hf.connect({ runner: `runner-${position}`, ...(position === 1 && { maxHeld: 2 }) });
    });
  }

  /** The service reaches its database by the address that `through` returns. */
  static async open(draw: Draw, through = async (url: string): Promise<string> => url): Promise<KillWorld> {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-kills-'));
    const url = await through(database.url);
    const slots = [await KillSlot.open(dataDir, url), await KillSlot.open(dataDir, url)];
    const world = new KillWorld(draw, { database, dataDir, slots });
    await Promise.all(world.#connections.map(({ ready }) => ready));
    return world;
  }

  /** Bodies that runners entered more than once: none, unless a process died. */
  get repeated(): string[] {
    return [...this.#ledger.entered].flatMap(([step, times]) => (times > 1 ? [`${step}: ${times} times`] : []));
  }

  get started(): number {
    return this.#runs.size;
  }

  /** Kills this many times, at random moments, while runs are started. */
  async storm(kills: number): Promise<void> {
    await this.during(async () => {
      for (let kill = 0; kill < kills; kill += 1) {
        await pause(200 + this.#draw(1_200));
        await this.#strike();
      }
    });
  }

  /** Starts runs until `work` is done, with a bounded number of unfinished ones. */
  async during(work: () => Promise<void>): Promise<void> {
    this.#isOver = false;
    const load = this.#load();
    try {
      await work();
    } finally {
      this.#isOver = true;
      await load;
    }
  }

  async #strike(): Promise<void> {
    const which = this.#draw(5);
    const struck = which === 4 ? this.#slots : this.#slots.slice(which % 2, (which % 2) + 1);
    this.coverage.count('kill', which === 4 ? 'both' : `process ${which % 2}`);
    // Alternately at any moment, and at a moment when flow control has something in hand.
    this.#strikes += 1;
    await this.#watch.aim(this.#strikes % 2 === 0 ? undefined : inHand[((this.#strikes - 1) / 2) % inHand.length]);
    await Promise.all(struck.map((slot) => slot.kill()));
    // Sometimes the other process works alone for a while.
    await pause(this.#draw(3) * 400);
    for (const slot of struck) {
      // The first slot always has all roles, and makes up for those that the second lacks.
      const roles = slot === this.#slots[0] ? undefined : rolesOfSecond[this.#draw(rolesOfSecond.length)];
      this.coverage.count('started', roles ?? 'all roles');
      this.longestStartMs = Math.max(this.longestStartMs, await slot.start(roles));
    }
  }

  async #load(): Promise<void> {
    const workers = Array.from({ length: 6 }, async () => {
      while (!this.#isOver) {
        if ((await this.#countOpen()) - (await this.#watch.countOpen()) >= maxOpen) await pause(100);
        else await this.#startOne();
      }
    });
    const isOver = (): boolean => this.#isOver;
    const gates = this.#gateLoad.drive({ isOver, countOpen: () => this.#watch.countOpen() });
    await Promise.all([...workers, gates, this.#callWhileStorming(), this.#watchWhileStorming()]);
  }

  async #watchWhileStorming(): Promise<void> {
    while (!this.#isOver) {
      await this.#watch.look();
      await pause(50);
    }
  }

  async #callWhileStorming(): Promise<void> {
    while (!this.#isOver) {
      await this.#call();
      await pause(200);
    }
  }

  /**
   * Sends waiting runs their event again, because an event before a wait wakes no run. Returns how
   * many waited.
   */
  async #call(): Promise<number> {
    const { rows } = await this.#database.db.query<{ n: number }>(
      "select (r.input ->> 'n')::int as n from run_wait w join run r on r.id = w.run_id where w.event_name = 'go' limit 50",
    );
    for (const { n } of rows) await this.#client.insist((hf) => hf.events.send({ name: 'go', data: { n } }));
    return rows.length;
  }

  async #startOne(): Promise<void> {
    const n = this.#next;
    this.#next += 1;
    const sent = await this.#client.insist((hf) =>
      hf.events.send({ name: 'begin', data: { n }, dedupeId: `begin ${n}` }).then((answer) => answer.eventId),
    );
    this.#runs.set(n, sent);
    await pause(20);
    await this.#client.insist((hf) => hf.events.send({ name: 'go', data: { n }, dedupeId: `go ${n}` }));
  }

  async #countOpen(): Promise<number> {
    const { rows } = await this.#database.db.query<{ n: number }>('select count(*)::int as n from run_work');
    return rows[0]?.n ?? 0;
  }

  /** Heals: every started run ends as predicted. Open waits get their event. */
  async settle(): Promise<void> {
    const until = Date.now() + liveMs;
    for (;;) {
      const waited = await this.#call();
      await this.#watch.look();
      // A flush makes its run in the same commit, so counting buffers first misses no start.
      const buffered = await this.#watch.countBuffered();
      if (waited + buffered === 0 && (await this.#countOpen()) === 0) break;
      if (Date.now() > until) throw new Error(`runs do not come to an end: ${await this.#describeOpen()}`);
      await pause(250);
    }
    await this.#check();
  }

  async #check(): Promise<void> {
    agree('what the runners saw', this.#ledger.violations, []);
    await this.#checkGates();
    const { rows } = await this.#database.db.query<{
      n: number;
      workflow: string;
      status: string;
      result: string;
      runs: number;
    }>(`
      select (input ->> 'n')::int as n, workflow, min(status) as status, min(result::text) as result, count(*)::int as runs
      from run where workflow in ('flow', 'heard') group by 1, 2`);
    const found = new Map(rows.map((row) => [`${row.workflow} ${row.n}`, row]));
    for (const n of this.#runs.keys()) {
      const flow = found.get(`flow ${n}`);
      agree(`run ${n}`, flow && { status: flow.status, runs: flow.runs, result: JSON.parse(flow.result) }, {
        status: 'succeeded',
        runs: 1,
        result: expectedResult(n),
      });
      agree(`what run ${n} emitted`, found.get(`heard ${n}`)?.runs, 1);
    }
    agree(
      'runs that nobody asked for',
      rows.filter(({ n }) => !this.#runs.has(n)).map(({ n }) => n),
      [],
    );
    const events = await this.#database.db.query<{ n: number }>(
      "select count(*)::int as n from event where name = 'begin'",
    );
    agree('events of starts', events.rows[0]?.n, this.#runs.size);
    this.coverage.count('checked', 'rounds');
  }

  async #checkGates(): Promise<void> {
    agree('what the runners saw of policies', this.#gateLedger.violations, []);
    agree('what the tables showed of policies', this.#watch.violations, []);
    const silences = this.#slots.reduce((sum, slot) => sum + slot.silences, 0);
    const overflows = this.#gateLedger.overflows.splice(0);
    if (silences > this.#silences) this.coverage.count('fault', 'a living process was found silent');
    else agree('bodies beyond the limit', overflows, []);
    this.#silences = silences;
    this.coverage.count('bodies of a scope at once, at most', String(this.#gateLedger.most));
    await checkGates(this.#database.db, { sent: this.#gateLoad.sent, coverage: this.coverage });
  }

  /** The findings of the doctor. */
  async doctor(): Promise<string[]> {
    const engine = createEngine({ db: this.#database.db, log: pino({ level: 'silent' }) });
    const { checks } = await runDoctor(engine, { timeoutMs: 60_000 });
    return checks.flatMap(({ check, violations }) => violations.map(({ message }) => `${check}: ${message}`));
  }

  async #describeOpen(): Promise<string> {
    const { rows } = await this.#database.db.query(`
      select w.*, r.workflow, r.status, (select json_agg(s) from run_step s where s.run_id = w.run_id) as steps
      from run_work w join run r on r.id = w.run_id limit 3`);
    return JSON.stringify(rows, null, 1);
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) await connection.close();
    for (const slot of this.#slots) await slot.stop();
    await this.#database.drop();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
