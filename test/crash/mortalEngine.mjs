// An engine in a process of its own, without sockets, that can be made to die at a named place.
//
// Environment: DIST (url of the built service), DATABASE_URL, FAIL_POINT (where to die), CLOCK_AHEAD_MS.
import { createHash } from 'node:crypto';
import { pino } from 'pino';

export const load = (path) => import(new URL(path, process.env.DIST).href);
const { dieAt, onFailPoint } = await load('engine/db/failPoints.js');
const { openDatabase } = await load('engine/db/open.js');
const { writingStatements } = await load('engine/db/statement.js');
const { createEngine } = await load('engine/engine.js');
const { claimRuns, invokeText, settlePass } = await load('engine/passes/index.js');
const { RawJson } = await load('engine/json/index.js');
const { triggerWorkflow } = await load('engine/runs/index.js');
const { registerRunner } = await load('engine/registry/index.js');
const { heartbeatMs, registerDispatcher, retireDispatcher, tickDispatcher } = await load('engine/work/index.js');
const { ensureDefaultProject } = await load('engine/projects/index.js');

const reached = new Set();
const die = process.env.FAIL_POINT ? dieAt(process.env.FAIL_POINT) : undefined;
onFailPoint((point) => {
  reached.add(point);
  return die?.(point);
});

let aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);
/** Lets time pass at once. */
export const advance = (ms) => {
  aheadMs += ms;
};
export const now = () => new Date(Date.now() + aheadMs);
export const db = await openDatabase({ url: process.env.DATABASE_URL });
export const engine = createEngine({
  db,
  log: pino({ level: 'silent' }),
  clock: { now, sql: now },
  settings: { operatorKey: 'crash test', allowPrivateTargets: true },
});

export const idOf = (name) => createHash('sha256').update(name).digest('hex');
export const opcode = (op, name, rest) => ({ op, id: idOf(name), name, ...rest });

/** Registers a runner that serves the workflows, and a dispatcher. */
export async function open(workflows) {
  const { id: projectId } = await ensureDefaultProject(engine);
  await register(projectId, workflows);
  const dispatcherId = await registerDispatcher(engine);
  // Only after some beats does it judge what one before it has left.
  for (let beats = 0; beats < 3; beats += 1) {
    advance(heartbeatMs);
    await tickDispatcher(engine, dispatcherId);
  }
  return { projectId, dispatcherId };
}

export const register = (projectId, workflows) =>
  registerRunner(engine, {
    projectId,
    registration: { app: 'default', runner: 'r', url: 'http://127.0.0.1:9/', workflows },
  });

/** Starts a run by hand; a second call with the same number starts none. */
export const trigger = (projectId, name, n) =>
  triggerWorkflow(engine, {
    projectId,
    app: 'default',
    name,
    input: { input: RawJson.of({ n }), dedupeId: `${name}-${n}` },
  });

/** Leases what is ready of the workflows. */
export async function claim(dispatcherId, workflows) {
  const { rows } = await db.query({ text: 'select id from lane where workflow = any($1)', values: [workflows] });
  return claimRuns(engine, { dispatcherId, demands: rows.map(({ id }) => ({ laneId: id, limit: 50 })) });
}

/** Invokes the handler, a function from the request to status and body, until the run is released. */
export async function drive(pass, handle) {
  for (;;) {
    const [status, body] = handle(JSON.parse(invokeText(pass)));
    const reply = { kind: 'answer', status, body: JSON.stringify(body), elapsedMs: 1 };
    if ((await settlePass(engine, pass, reply)) === 'released') return;
  }
}

/** Prints the fail-points that were reached, and the statements that have some. */
export async function close(dispatcherId) {
  await retireDispatcher(engine, dispatcherId);
  onFailPoint(undefined);
  await db.close();
  console.log(JSON.stringify({ reached: [...reached], declared: writingStatements() }));
}
