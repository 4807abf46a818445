import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { flushDueBuffers, triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { type EventAnswer, type EventInput, sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import type { EngineSettings } from '../../../src/engine/settings.ts';
import { createTestEngine, createTestProject, type OwnedEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

/** A stored run; payloads as text. */
export interface BufferedRun {
  id: string;
  workflow: string;
  status: string;
  trigger_kind: string;
  event_name: string | null;
  event_id: string | null;
  session: string | null;
  runner: string | null;
  tags: Record<string, string> | null;
  input: string;
  events: string | null;
  start_at: Date | null;
}

/** An engine with a manual clock, and further engines on the same database. */
export class BufferScene {
  readonly clock: ManualClock;
  readonly test: OwnedEngine;
  readonly engines: readonly EngineContext[];
  projectId = '';

  private constructor(test: OwnedEngine, clock: ManualClock, engines: readonly EngineContext[]) {
    this.test = test;
    this.clock = clock;
    this.engines = engines;
  }

  static async open(settings: Partial<EngineSettings> = {}): Promise<BufferScene> {
    const clock = new ManualClock(new Date('2026-05-01T12:00:00Z'));
    const test = await createTestEngine({ clock, settings });
    const sibling = () => createEngine({ db: test.db, log: test.engine.log, clock, settings: test.engine.settings });
    return new BufferScene(test, clock, [test.engine, sibling(), sibling()]);
  }

  get engine(): EngineContext {
    return this.test.engine;
  }

  /** A new project with these workflows. */
  async project(...workflows: WireWorkflow[]): Promise<void> {
    this.projectId = await createTestProject(this.engine);
    await this.register(...workflows);
  }

  register(...workflows: WireWorkflow[]): Promise<void> {
    return registerWorkflows(this.engine, this.projectId, workflows);
  }

  send(name: string, data: unknown, more: Partial<EventInput> = {}, engine = this.engine): Promise<EventAnswer> {
    const raw = data instanceof RawJson ? data : RawJson.of(data);
    return sendEvent(engine, { projectId: this.projectId, input: { name, data: raw, ...more } });
  }

  trigger(name: string, input: unknown, more: { tags?: Record<string, string>; runner?: string } = {}) {
    const raw = input instanceof RawJson ? input : RawJson.of(input);
    const call = { projectId: this.projectId, app: 'default', name, input: { input: raw, ...more } };
    return triggerWorkflow(this.engine, call);
  }

  /** Takes turns until no buffer is due. Returns the number of starts that left a buffer. */
  async flush(engine = this.engine): Promise<number> {
    let flushed = 0;
    for (let again = true; again; ) {
      const report = await flushDueBuffers(engine);
      flushed += report.flushed;
      again = report.again;
    }
    return flushed;
  }

  async runs(): Promise<BufferedRun[]> {
    const { rows } = await this.test.db.query<BufferedRun>(
      `select id, workflow, status, trigger_kind, event_name, event_id, session, runner, tags, input, events, start_at
       from run where project_id = $1 order by created_at, id`,
      [this.projectId],
    );
    return rows;
  }

  /** The parsed inputs of all runs, in the order of their creation. */
  async inputs(): Promise<unknown[]> {
    return (await this.runs()).map((run) => JSON.parse(run.input));
  }

  /** The payloads of each batched run. */
  async batches(): Promise<unknown[][]> {
    const parsed = (await this.runs()).map((run): { data: unknown }[] => JSON.parse(run.events ?? '[]'));
    return parsed.map((events) => events.map((each) => each.data));
  }

  /** The buffers, the earliest first: the number of items, and the remaining wait in ms. */
  async buffers(): Promise<{ policy: string; key: string; items: number; closed: boolean; inMs: number }[]> {
    const { rows } = await this.test.db.query<{
      policy: string;
      key: string;
      items: number;
      closed: boolean;
      flush_at: Date;
    }>('select policy, key, items, closed, flush_at from flow_buffer where project_id = $1 order by flush_at, id', [
      this.projectId,
    ]);
    const now = this.clock.now().getTime();
    return rows.map(({ flush_at: at, ...row }) => ({ ...row, inMs: at.getTime() - now }));
  }
}
