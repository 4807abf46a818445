// Populations of any size, written by SQL in the form in which the service stores them. Through the
// service, a million runs would take many minutes.
import type { BenchDatabase } from './database.ts';

export type Rows = Pick<BenchDatabase, 'pool'>;

export interface Lane {
  app: string;
  workflow: string;
}

const chunk = 100_000;

/**
 * Calls `add` with the first number and the count of each part, which bounds the size of a
 * statement.
 */
export async function inChunks(rows: number, add: (first: number, count: number) => Promise<unknown>): Promise<void> {
  for (let made = 0; made < rows; made += chunk) await add(made, Math.min(chunk, rows - made));
}

/**
 * Does the work of autovacuum, and takes a checkpoint, so that neither falls into the measurement.
 */
export async function letSettle({ pool }: Rows): Promise<void> {
  for (const table of ['run', 'run_work', 'run_step', 'run_frame', 'run_wait'])
    await pool.query(`vacuum analyze ${table}`);
  await pool.query('checkpoint');
}

/** The id of a lane, which is created if missing. Throws if the workflow is not registered. */
export async function ensureLane({ pool }: Rows, { app, workflow }: Lane): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into lane (project_id, app, workflow)
     select project_id, app, name from workflow where app = $1 and name = $2
     on conflict (project_id, app, workflow, runner) do update set workflow = excluded.workflow
     returning id`,
    [app, workflow],
  );
  if (rows[0] === undefined) throw new Error(`workflow ${workflow} of app ${app} is not registered`);
  return rows[0].id;
}

/**
 * The four frames of a run that was claimed once and parked by its first step, as SQL rows `(seq,
 * kind, payload)`.
 */
export const parkedJournal = (step: string): string => `(values
    (1, 'run_status', '{"status":"queued"}'::json),
    (2, 'run_status', '{"status":"running"}'),
    (3, 'step_status', '{"step":"${step}","index":0,"attempt":1,"status":"waiting"}'),
    (4, 'run_status', '{"status":"waiting"}')) as frame(seq, kind, payload)`;
