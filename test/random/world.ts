import { sendEvent } from '../../src/engine/events/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { RawJson } from '../../src/engine/json/index.ts';
import { registerRunner } from '../../src/engine/registry/index.ts';
import type { Coverage } from './coverage.ts';
import { Ledger } from './ledger.ts';
import type { MovedDatabase } from './movedDatabase.ts';
import { Process, type Scene } from './process.ts';
import { type Program, startOf } from './program.ts';

/** A project with its programs, served by two processes that share a database. */
export class World {
  readonly moved: MovedDatabase;
  readonly scene: Scene;
  processes: Process[] = [];
  isDeserted = false;
  #events = 0;

  private constructor(moved: MovedDatabase, scene: Scene) {
    this.moved = moved;
    this.scene = scene;
  }

  static async open(moved: MovedDatabase, coverage: Coverage, programs: readonly Program[]): Promise<World> {
    const projectId = newId();
    await moved.db.query('insert into project (id, name) values ($1, $2)', [projectId, projectId]);
    const scene: Scene = {
      db: moved.db,
      projectId,
      programs: new Map(programs.map((each) => [each.name, each])),
      ledger: new Ledger(),
      coverage,
    };
    const world = new World(moved, scene);
    world.processes = [await new Process(scene).start(), await new Process(scene).start()];
    const [first] = world.processes;
    if (first) await registerRunner(first.engine, { projectId, registration: registrationOf(programs) });
    return world;
  }

  /** Sends an event as a client does that knows no answer: again under the same id, until there is one. */
  async send(process: Process, name: string, key: string): Promise<void> {
    this.#events += 1;
    const data = RawJson.of({ key });
    const input = { name, data, dedupeId: `event ${this.#events}` };
    await process.attempt(async () => {
      await sendEvent(process.engine, { projectId: this.scene.projectId, input });
    });
    if (!process.mortal.isDead) return;
    const heir = await new Process(this.scene).start();
    await sendEvent(heir.engine, { projectId: this.scene.projectId, input });
    heir.mortal.kill();
  }

  /** A new process takes the place of a dead one. */
  async replaceDead(): Promise<void> {
    for (const [slot, process] of this.processes.entries()) {
      if (!process.mortal.isDead) continue;
      process.bury();
      this.processes[slot] = await new Process(this.scene).start();
    }
  }

  async setRunner(isConnected: boolean): Promise<void> {
    this.isDeserted = !isConnected;
    if (this.isDeserted) this.scene.ledger.wasDeserted = true;
    await this.#query('connectRunner', 'update runner set connected = $2 where project_id = $1', [isConnected]);
  }

  /** Time passes; the runner, if there is one, keeps sending heartbeats. */
  async advance(ms: number): Promise<void> {
    await this.moved.advance(ms);
    await this.#query('beatRunner', 'update runner set last_seen_at = now() where project_id = $1 and connected', []);
  }

  async #query(name: string, text: string, rest: unknown[]): Promise<void> {
    await this.scene.db.query({ name, text, values: [this.scene.projectId, ...rest] });
  }

  async quiet(): Promise<void> {
    for (const process of this.processes) await process.mortal.quiet();
  }
}

/** Times are short where they only cost, and without effect on the outcome. */
function registrationOf(programs: readonly Program[]): unknown {
  const workflows = programs.map(({ name, maxAttempts, onFailure }, level) => ({
    name,
    triggers: [{ event: startOf(level) }],
    retry: { maxAttempts, backoff: 'fixed', initialDelayMs: 1_000 },
    onFailure,
  }));
  return { app: 'default', runner: 'runner', url: 'http://127.0.0.1:9/invoke', workflows };
}
