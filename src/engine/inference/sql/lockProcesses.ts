import { float8, instant, statement, uuid } from '../../db/index.ts';

/**
 * Locks processes that are silent. A claim holds the row of its process until its commit (`for key
 * share`), so the row is skipped here. Once locked, the next statement sees all of its calls.
 */
export const lockSilentProcesses = statement<{ id: string }>('lockSilentProcesses').reads({
  params: { now: instant, processId: uuid.orNull, silenceMs: float8 },
  text: `
    select id from inference_process
    where id is distinct from $processId and heartbeat_at < $now - $silenceMs * interval '1 ms'
    order by id
    for update skip locked
  `,
});

/** Locks a process that stops, once no claim of it is in progress. */
export const lockProcess = statement<{ id: string }>('lockProcess').reads({
  params: { processId: uuid },
  text: 'select id from inference_process where id = $processId for update',
});
