import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { lifecycleKinds } from '../../../src/engine/lifecycle/index.ts';
import { registerRunner } from '../../../src/engine/runners/index.ts';
import type { Coverage } from '../kit/coverage.ts';
import type { MovedDatabase } from '../kit/movedDatabase.ts';
import { Turns } from '../kit/turns.ts';
import { policiesOf } from '../program/flow.ts';
import { everyTenSeconds, type Program, startOf } from '../program/program.ts';
import { tolerateRefusal } from './controls.ts';
import { Ledger } from './ledger.ts';
import { Process, type Scene } from './process.ts';

const maxTries = 8;

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

  /**
   * `ceiling`: how many of its runs may execute at once; 0 for any number. `hasEndpoint`: whether a
   * webhook endpoint is to be told of every change.
   */
  static async open(
    moved: MovedDatabase,
    coverage: Coverage,
    programs: readonly Program[],
    { ceiling = 0, hasEndpoint = false }: { ceiling?: number; hasEndpoint?: boolean } = {},
  ): Promise<World> {
    const projectId = newId();
    // With the lanes of its workflows, so that no claim has to look them up.
    const { rows: lanes } = await moved.db.query<{ id: number }>({
      name: 'insertProjectOfCase',
      text: `
        with made as (
          insert into project (id, name, concurrency_ceiling) values ($1::uuid, $1::uuid::text, $3::int) returning id
        ),
        hooked as (
          insert into webhook_endpoint (id, project_id, url, event_kinds, scheme, updated_at)
          select gen_random_uuid(), id, 'http://127.0.0.1:9/hook', $5::text[], 'service', now() from made where $4
        )
        insert into lane (project_id, app, workflow) select id, 'default', workflow from made, unnest($2::text[]) as workflow
        returning id`,
      values: [projectId, programs.map(({ name }) => name), ceiling, hasEndpoint, [...lifecycleKinds]],
    });
    const turns = new Turns(moved.db);
    const query = (...args: unknown[]) => turns.during(() => Reflect.apply(moved.db.query, moved.db, args));
    const world = new World(moved, {
      shared: moved.db,
      db: { ...moved.db, query: query as Database['query'] },
      turns,
      projectId,
      programs: new Map(programs.map((each) => [each.name, each])),
      ledger: new Ledger(),
      coverage,
      laneIds: lanes.map(({ id }) => id),
      ceiling,
      hasEndpoint,
    });
    world.processes = await Promise.all([0, 1].map(() => new Process(world.scene).start()));
    await world.register({ crons: true });
    return world;
  }

  /** Registers the workflows, with or without their schedules. */
  async register({ crons }: { crons: boolean }): Promise<void> {
    const { projectId, programs } = this.scene;
    const [first] = this.processes;
    if (!first) throw new Error('no process');
    await registerRunner(first.engine, { projectId, registration: registrationOf([...programs.values()], crons) });
  }

  /** Whether a schedule starts any of the programs. */
  get hasCrons(): boolean {
    return [...this.scene.programs.values()].some(({ cron }) => cron);
  }

  /** The limits that hold runs back: policies of any workflow, and the ceiling. */
  get policies(): string[] {
    const { programs, ceiling } = this.scene;
    return [...[...programs.values()].flatMap(({ flow }) => policiesOf(flow)), ...(ceiling > 0 ? ['ceiling'] : [])];
  }

  async countRuns(): Promise<number> {
    const { db, projectId } = this.scene;
    const text = 'select count(*)::int as n from run where project_id = $1';
    const { rows } = await db.query<{ n: number }>({ name: 'countRuns', text, values: [projectId] });
    return rows[0]?.n ?? 0;
  }

  /** Sends an event like a client without an answer: again with the same id, until there is one. */
  async send(process: Process, name: string, key: string | undefined): Promise<void> {
    this.#events += 1;
    const { ledger, projectId } = this.scene;
    const dedupeId = `event ${this.#events}`;
    const input = { name, data: RawJson.of({ key }), dedupeId };
    for (let tries = 0, by = process; tries < maxTries; tries += 1) {
      const answer = await by.attempt(() => sendEvent(by.engine, { projectId, input }));
      if (by !== process) by.mortal.kill();
      if (answer) {
        const triggered = answer.deduped ? undefined : JSON.parse(JSON.stringify(answer.triggered));
        ledger.acknowledged.push({ dedupeId, eventId: answer.eventId, triggered });
        return;
      }
      if (by.mortal.isDead) by = new Process(this.scene);
    }
    throw new Error(`event ${name} is never answered`);
  }

  /** Starts a run by name. A client without a dedupe key does not retry. */
  async trigger(
    process: Process,
    workflow: string,
    { hasKey, key }: { hasKey: boolean; key: string | undefined },
  ): Promise<void> {
    this.#events += 1;
    const { projectId, ledger } = this.scene;
    const name = `trigger ${this.#events}`;
    const input = { ...(hasKey && { dedupeId: name }), input: RawJson.of({ key, name }) };
    const ask = () => triggerWorkflow(process.engine, { projectId, app: 'default', name: workflow, input });
    for (let tries = 0; tries < (hasKey ? maxTries : 1) && !process.mortal.isDead; tries += 1) {
      const answer = await process.attempt(() => tolerateRefusal(ask()));
      if (!answer) continue;
      if (answer.runId !== undefined) ledger.startedRuns.push(answer.runId);
      // A repeat of its own key gets the same answer.
      else if (answer.withheld !== undefined && !(hasKey && answer.withheld === 'deduped')) {
        ledger.refused.push({ workflow, reason: answer.withheld, marker: name });
      }
      return;
    }
  }

  /** The process in a slot; a dead one is replaced. */
  async processAt(slot: number): Promise<Process> {
    const process = this.processes[slot];
    if (!process) throw new Error(`no process ${slot}`);
    if (!process.mortal.isDead) return process.ready();
    process.bury();
    const heir = new Process(this.scene);
    this.processes[slot] = heir;
    return heir.ready();
  }

  async setRunner(isConnected: boolean): Promise<void> {
    this.isDeserted = !isConnected;
    if (this.isDeserted) this.scene.ledger.wasStranded = true;
    const text = 'update runner set connected = $2 where project_id = $1';
    await this.scene.db.query({ name: 'connectRunner', text, values: [this.scene.projectId, isConnected] });
  }

  /** Advances time, while the runner, if any, keeps sending heartbeats. */
  async advance(ms: number): Promise<void> {
    await this.scene.turns.during(() => this.moved.advance(ms, this.scene.projectId));
  }

  /** Ends the case. A check of budgets covers all projects, so those of this one are removed. */
  async close(): Promise<void> {
    await this.quiet();
    if (!this.policies.includes('budget')) return;
    const text = `
      with done as (delete from flow_budget where project_id = $1)
      update workflow set flow_control = (flow_control::jsonb - 'budget')::json where project_id = $1`;
    await this.scene.db.query({ name: 'forgetBudgetsOfCase', text, values: [this.scene.projectId] });
  }

  async quiet(): Promise<void> {
    for (const process of this.processes) await process.mortal.quiet();
  }
}

/** Times are short if they only cost time and do not affect the outcome. */
function registrationOf(programs: readonly Program[], crons: boolean): unknown {
  const workflows = programs.map(({ name, maxAttempts, onFailure, cron, flow }, level) => ({
    ...flow,
    name,
    triggers: [{ event: startOf(level) }, ...(cron && crons ? [{ cron: everyTenSeconds }] : [])],
    retry: { maxAttempts, backoff: 'fixed', initialDelayMs: 1_000 },
    onFailure,
  }));
  return { app: 'default', runner: 'runner', url: 'http://127.0.0.1:9/invoke', workflows };
}
