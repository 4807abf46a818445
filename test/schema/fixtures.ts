import { type Logger, pino } from 'pino';
import type { EngineContext } from '../../src/engine/context.ts';
import { newId } from '../../src/engine/ids.ts';
import { stringifyRaw } from '../../src/engine/json/index.ts';
import type { Principal } from '../../src/engine/keys/index.ts';
import type { RunStatus, StepStatus } from '../../src/engine/runs/status.ts';
import { createSchemaContext, prepare, run, type SchemaContext, type Variables } from '../../src/schema/index.ts';

export const secretKey = (projectId: string): Principal => ({
  kind: 'secret',
  keyId: newId(),
  keyName: 'test key',
  projectId,
});

export const publicKey = (projectId: string): Principal => ({
  kind: 'public',
  keyId: newId(),
  keyName: 'reading key',
  projectId,
});

export const operator = (projectId?: string): Principal => ({ kind: 'operator', keyName: 'operator', projectId });

export const contextOf = (engine: EngineContext, principal: Principal): SchemaContext =>
  createSchemaContext({ engine, principal, via: 'graphql' });

/** Runs a document in-process and returns its data; throws its error. */
export async function query(
  engine: EngineContext,
  principal: Principal,
  document: string,
  variables: Variables = {},
): Promise<Record<string, unknown>> {
  const { data, error } = await run(prepare(document), variables, contextOf(engine, principal));
  if (error !== undefined) throw error;
  return JSON.parse(stringifyRaw(data));
}

export interface RunFixture {
  id?: string;
  app?: string;
  workflow?: string;
  status?: RunStatus;
  triggerKind?: string;
  eventId?: string | null;
  session?: string | null;
  replayOf?: string | null;
  parentRunId?: string | null;
  tags?: Record<string, string> | null;
  input?: string;
  result?: string | null;
  error?: string | null;
  createdAt?: Date;
  startedAt?: Date | null;
  endedAt?: Date | null;
  depth?: number;
  pausedReason?: string | null;
}

const ended: readonly RunStatus[] = ['succeeded', 'failed', 'cancelled'];

/** Writes a run as the engine leaves it, without going through a runner. Returns its id. */
export async function insertRun(
  { db }: Pick<EngineContext, 'db'>,
  projectId: string,
  run: RunFixture = {},
): Promise<string> {
  const { id = newId(), app = 'shop', workflow = 'order', status = 'queued', createdAt = new Date() } = run;
  const endedAt = run.endedAt ?? (ended.includes(status) ? createdAt : null);
  await db.query({
    text: `insert into run (id, project_id, app, workflow, version, status, trigger_kind, event_id, session, replay_of,
             parent_run_id, tags, input, result, error, created_at, started_at, ended_at, depth, paused_reason)
           values ($1, $2, $3, $4, 'v1', $5, $6, $7, $8, $9, $10, $11::jsonb, $12::json, $13::json, $14::json, $15, $16, $17,
             $18, $19)`,
    values: [
      id,
      projectId,
      app,
      workflow,
      status,
      run.triggerKind ?? 'event',
      run.eventId ?? null,
      run.session ?? null,
      run.replayOf ?? null,
      run.parentRunId ?? null,
      run.tags ? JSON.stringify(run.tags) : null,
      run.input ?? '{}',
      run.result ?? null,
      run.error ?? null,
      createdAt,
      run.startedAt ?? null,
      endedAt,
      run.depth ?? 0,
      run.pausedReason ?? null,
    ],
  });
  return id;
}

export interface StepFixture {
  index: number;
  attempt?: number;
  name?: string;
  status?: StepStatus;
  input?: string | null;
  output?: string | null;
  error?: string | null;
  ai?: string | null;
  runAfter?: Date | null;
  willRetry?: boolean;
  startedAt?: Date;
  endedAt?: Date | null;
}

export async function insertStep({ db }: Pick<EngineContext, 'db'>, runId: string, step: StepFixture): Promise<void> {
  const { index, attempt = 1, status = 'succeeded', startedAt = new Date() } = step;
  const endedAt = step.endedAt ?? (status === 'running' || status === 'waiting' ? null : startedAt);
  await db.query({
    text: `insert into run_step (run_id, index, attempt, step_id, name, op, status, input, output, error, ai, run_after,
             will_retry, started_at, ended_at)
           values ($1, $2, $3, 'hash', $4, 'StepRun', $5, $6::json, $7::json, $8::json, $9::json, $10, $11, $12, $13)`,
    values: [
      runId,
      index,
      attempt,
      step.name ?? `step ${index}`,
      status,
      step.input ?? null,
      step.output ?? null,
      step.error ?? null,
      step.ai ?? null,
      step.runAfter ?? null,
      step.willRetry ?? false,
      startedAt,
      endedAt,
    ],
  });
}

export async function insertFrame(
  { db }: Pick<EngineContext, 'db'>,
  runId: string,
  { seq, kind, payload }: { seq: number; kind: string; payload: string },
): Promise<void> {
  await db.query({
    text: `insert into run_frame (run_id, seq, kind, payload) values ($1, $2, $3, $4::json)`,
    values: [runId, seq, kind, payload],
  });
}

/** Registers definitions by name, so that lists that walk them find their runs. */
export async function insertWorkflows(
  { db }: Pick<EngineContext, 'db'>,
  projectId: string,
  names: readonly { app: string; name: string }[],
): Promise<void> {
  await db.prisma.workflow.createMany({
    data: names.map(({ app, name }) => ({
      id: newId(),
      projectId,
      app,
      name,
      version: 'v1',
      maxAttempts: 1,
      backoff: 'exponential',
      initialDelayMs: 1000,
      maxDelayMs: 300_000,
      onFailure: false,
    })),
  });
}

/** Collects what is written to the log, so that a test can see what was masked. */
export function recordingLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  return { log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }), lines };
}

export interface Recording {
  engine: EngineContext;
  /** Every statement since the last `clear`, by its name where it has one. */
  statements: string[];
  clear(): void;
}

/** An engine that notes each statement, whether Prisma sends it or we do. */
export function recordStatements(engine: EngineContext): Recording {
  const statements: string[] = [];
  const { pool } = engine.db;
  const query = pool.query.bind(pool);
  const record = (...args: Parameters<typeof query>): ReturnType<typeof query> => {
    const [sent] = args as unknown as [string | { name?: string; text: string }];
    statements.push(typeof sent === 'string' ? sent : /^p_/.test(sent.name ?? 'p_') ? sent.text : (sent.name ?? ''));
    return query(...args);
  };
  Object.assign(pool, { query: record });
  return {
    engine: { ...engine, db: { ...engine.db, query: record as typeof engine.db.query } },
    statements,
    clear: () => statements.splice(0),
  };
}
