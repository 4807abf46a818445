import type { Frame, FrameKind } from '../../../src/engine/bus.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import { isTerminal, type RunStatus, runStatuses } from '../../../src/engine/runs/status.ts';

export type NewFrame = [kind: FrameKind, payload: unknown];

export const toStatus = (status: RunStatus): NewFrame => ['run_status', { status }];
export const logLine = (index: number, fields?: unknown): NewFrame => [
  'log',
  { level: 'info', message: `line ${index}`, fields, scope: '@root', attempt: 1 },
];

/**
 * A run whose journal a test writes by hand, as commits do: frames, `seq` and status in one
 * transaction.
 */
export class Journal {
  readonly runId = newId();
  readonly app = 'shop';
  readonly workflow = 'order';
  readonly projectId: string;
  readonly #engine: EngineContext;
  #seq = 0;

  private constructor(engine: EngineContext, projectId: string) {
    this.#engine = engine;
    this.projectId = projectId;
  }

  static async start(engine: EngineContext, projectId: string): Promise<Journal> {
    const { journal, start } = await Journal.startUnheard(engine, projectId);
    journal.tell(start);
    return journal;
  }

  /** The journal of a run whose start was not announced yet. */
  static async startUnheard(
    engine: EngineContext,
    projectId: string,
  ): Promise<{ journal: Journal; start: readonly Frame[] }> {
    const journal = new Journal(engine, projectId);
    const { runId, app, workflow } = journal;
    await engine.db.query(
      `insert into run (id, project_id, app, workflow, version, status, trigger_kind, input)
       values ($1, $2, $3, $4, 'v1', 'queued', 'manual', '{}')`,
      [runId, projectId, app, workflow],
    );
    await engine.db.query(
      `insert into run_work (run_id, project_id, lane_id, state, position, seq) values ($1, $2, 1, 'ready', 0, 0)`,
      [runId, projectId],
    );
    return { journal, start: await journal.commit(toStatus('queued')) };
  }

  /** Commits frames without a hint, as another process would. */
  async commit(...news: NewFrame[]): Promise<Frame[]> {
    const frames = news.map(([kind, payload]) => {
      this.#seq += 1;
      return { seq: this.#seq, kind, ts: new Date(), payload: JSON.stringify(payload) };
    });
    await this.#engine.db.transaction(async (tx) => {
      for (const { seq, kind, ts, payload } of frames) {
        await tx.query('insert into run_frame (run_id, seq, kind, ts, payload) values ($1, $2, $3, $4, $5)', [
          this.runId,
          seq,
          kind,
          ts,
          payload,
        ]);
      }
      await tx.query('update run_work set seq = $2 where run_id = $1', [this.runId, this.#seq]);
      const status = runStatuses.find((known) => known === statusIn(news.at(-1)));
      if (status && isTerminal(status)) {
        await tx.query('update run set status = $2, ended_at = now() where id = $1', [this.runId, status]);
        await tx.query('delete from run_work where run_id = $1', [this.runId]);
      }
    });
    return frames;
  }

  /** Commits frames and tells of them, as this process would. */
  async publish(...news: NewFrame[]): Promise<Frame[]> {
    const frames = await this.commit(...news);
    this.tell(frames);
    return frames;
  }

  tell(frames: readonly Frame[]): void {
    const { projectId, runId, app, workflow } = this;
    this.#engine.bus.emit('run.frames', { projectId, runId, app, workflow, frames });
  }

  /** Tells only that there are more frames. */
  hint(): void {
    this.#engine.bus.emit('run.moved', { runs: [this] });
  }
}

function statusIn(frame: NewFrame | undefined): unknown {
  const [kind, payload] = frame ?? [];
  return kind === 'run_status' && typeof payload === 'object' && payload !== null && 'status' in payload
    ? payload.status
    : undefined;
}

/** Whether a promise has settled once everything that is ready has run. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}
