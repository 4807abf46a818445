// A whole little service in a process of its own, without sockets: it starts runs, executes them by a script, ends when all
// are over. Run by failPoints.test.ts, which lets it die at a named place and then runs it again.
//
// Environment: DIST (url of the built service), DATABASE_URL, FAIL_POINT (where to die), CLOCK_AHEAD_MS.
// Prints the fail-points that it reached, and the statements that have some, before it ends.
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';

const load = (path) => import(new URL(path, process.env.DIST).href);
const { dieAt, onFailPoint } = await load('engine/db/failPoints.js');
const { openDatabase } = await load('engine/db/open.js');
const { writingStatements } = await load('engine/db/statement.js');
const { createEngine } = await load('engine/engine.js');
const { decideApproval, expireApprovals } = await load('engine/approvals/index.js');
const { sendEvent, recoverPending } = await load('engine/events/index.js');
const { RawJson } = await load('engine/json/index.js');
const { claimRuns, invokeText, settlePass } = await load('engine/passes/index.js');
const { registerRunner } = await load('engine/registry/index.js');
const { cancelRun, pauseRun, replayRun, resumeRun } = await load('engine/control/index.js');
const { recoverOutcomes } = await load('engine/outcomes/index.js');
const { lookAfterStranded, failOverdueRuns } = await load('engine/routing/index.js');
const { triggerWorkflow } = await load('engine/runs/index.js');
const { registerDispatcher, retireDispatcher, tickDispatcher, wakeDueRuns, releaseRuns } =
  await load('engine/work/index.js');
const { ensureDefaultProject } = await load('engine/projects/index.js');

const reached = new Set();
const die = process.env.FAIL_POINT ? dieAt(process.env.FAIL_POINT) : undefined;
onFailPoint((point) => {
  reached.add(point);
  return die?.(point);
});

const aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);
const now = () => new Date(Date.now() + aheadMs);
const db = await openDatabase({ url: process.env.DATABASE_URL });
const engine = createEngine({
  db,
  log: pino({ level: 'silent' }),
  clock: { now, sql: now },
  settings: { operatorKey: 'crash test', allowPrivateTargets: true },
});

const idOf = (name) => createHash('sha256').update(name).digest('hex');
const opcode = (op, name, rest) => ({ op, id: idOf(name), name, ...rest });

/** The handler, as what it answers to the memo so far. */
function handle({ ctx, event, steps }) {
  const memo = (name) => steps[idOf(name)];
  if (ctx.workflow === 'plain') return stepByStep(memo);
  if (['second', 'held'].includes(ctx.workflow)) return [200, { data: ctx.workflow, logs: [] }];
  if (ctx.workflow === 'signed') return askTwice(memo);
  const discovered = (...opcodes) => [
    206,
    { opcodes, logs: [{ level: 'info', message: 'pass', scope: '@root', index: 0, tsMs: 0 }] },
  ];
  if (!memo('a')) {
    if ((ctx.stepAttempts?.[idOf('a')] ?? 1) === 1) {
      return discovered(
        opcode('StepRun', 'a', { error: { message: 'first try' }, retryAfterMs: 1, usage: { tokensIn: 1 } }),
      );
    }
    return discovered(opcode('StepRun', 'a', { data: event.data.n, usage: { tokensIn: 2, tokensOut: 3 } }));
  }
  if (!memo('nap')) {
    return discovered(
      opcode('Sleep', 'nap', { sleepMs: 5 }),
      opcode('WaitForEvent', 'go', { eventName: 'go', eventIf: `data.n == ${event.data.n}` }),
    );
  }
  if (memo('nap').pending || memo('go').pending) return discovered();
  if (!memo('tell')) return discovered(opcode('Emit', 'tell', { eventName: 'second', data: { n: event.data.n } }));
  return [200, { data: { n: event.data.n }, logs: [] }];
}

/** One step after another, without anything else to record: the later ones are committed alone. */
function stepByStep(memo) {
  const next = ['one', 'two', 'three'].find((name) => !memo(name));
  return next ? [206, { opcodes: [opcode('StepRun', next)], logs: [] }] : [200, { data: 'plain', logs: [] }];
}

/** One approval that somebody decides, one that its deadline does; then a score of it. */
function askTwice(memo) {
  const [sign, late] = [memo('sign'), memo('late')];
  if (sign && late) {
    if (sign.pending || late.pending) return [206, { opcodes: [], logs: [] }];
    if (memo('rate')) return [200, { data: 1, logs: [] }];
    return [206, { opcodes: [opcode('Score', 'rate', { data: { name: 'quality', value: 1 } })], logs: [] }];
  }
  const opcodes = [
    opcode('Approval', 'sign', { tool: 'refund', data: { amount: 5 } }),
    opcode('Approval', 'late', { tool: 'refund', timeoutMs: 1, onTimeout: 'reject' }),
  ];
  return [206, { opcodes, logs: [] }];
}

async function decideOpen() {
  const { rows } = await db.query("select id from approval where step = 'sign' and status = 'pending' order by id");
  const decider = { decidedBy: 'test', decidedVia: 'api' };
  for (const { id } of rows) {
    const call = { projectId, approvalId: id, status: 'approved', args: undefined, decider, actor: 'test' };
    await decideApproval(engine, call);
  }
}

async function drive(pass) {
  for (;;) {
    const [status, body] = handle(JSON.parse(invokeText(pass)));
    const reply = { kind: 'answer', status, body: JSON.stringify(body), elapsedMs: 1 };
    if ((await settlePass(engine, pass, reply)) === 'released') return;
  }
}

async function turn(dispatcherId) {
  await tickDispatcher(engine, dispatcherId);
  await lookAfterStranded(engine);
  await wakeDueRuns(engine);
  await failOverdueRuns(engine);
  await recoverPending(engine);
  await recoverOutcomes(engine);
  await expireApprovals(engine);
  await decideOpen();
  const lanes = (await db.query("select id from lane where workflow in ('flow', 'second', 'signed', 'held', 'plain')"))
    .rows;
  const passes = await claimRuns(engine, { dispatcherId, demands: lanes.map(({ id }) => ({ laneId: id, limit: 50 })) });
  const [first, ...others] = passes;
  // One goes back unexecuted, so that handing back is tried too.
  if (first && others.length > 0) await releaseRuns(engine, dispatcherId, [first.runId]);
  await Promise.all((others.length > 0 ? others : passes).map(drive));
}

const { id: projectId } = await ensureDefaultProject(engine);
const workflows = [
  { name: 'flow', retry: { maxAttempts: 3 } },
  { name: 'second' },
  { name: 'plain' },
  { name: 'doomed' },
  { name: 'signed' },
  { name: 'held' },
];
const registration = { app: 'default', runner: 'r', url: 'http://127.0.0.1:9/', workflows };
await registerRunner(engine, { projectId, registration });
const dispatcherId = await registerDispatcher(engine);

const trigger = (name, n) =>
  triggerWorkflow(engine, {
    projectId,
    app: 'default',
    name,
    input: { input: RawJson.of({ n }), dedupeId: `${name}-${n}` },
  });
const runs = [0, 1, 2, 3];
await Promise.all(runs.map((n) => trigger('flow', n)));
await trigger('signed', 0);
// Without a key against repeats, so that it is for us not to repeat it.
const { rows: plain } = await db.query("select id from run where workflow = 'plain'");
if (plain.length === 0) await triggerWorkflow(engine, { projectId, app: 'default', name: 'plain', input: {} });
const doomed = await trigger('doomed', 0);
const doomedId = doomed.runId ?? (await db.query("select id from run where workflow = 'doomed'")).rows[0].id;
const unlessConflict = (error) => {
  if (error.kind !== 'conflict') throw error;
};
await cancelRun(engine, { projectId, runId: doomedId, actor: 'test' }).catch(unlessConflict);
// Paused and resumed, and started over once it has ended.
const held = await trigger('held', 0);
const heldId = held.runId ?? (await db.query("select id from run where workflow = 'held' order by id")).rows[0].id;
await pauseRun(engine, { projectId, runId: heldId, actor: 'test' }).catch(unlessConflict);
await resumeRun(engine, { projectId, runId: heldId, actor: 'test' }).catch(unlessConflict);
// Parked for want of a runner, then revived.
await db.query('update runner set connected = false');
await lookAfterStranded(engine);
await db.query('update runner set connected = true, last_seen_at = $1', [now()]);

for (let turns = 0; turns < 400; turns += 1) {
  await turn(dispatcherId);
  const waits = (await db.query('select count(*)::int as n from run_wait')).rows[0].n;
  if (waits > 0) {
    for (const n of runs) {
      await sendEvent(engine, {
        projectId,
        input: { name: 'go', data: RawJson.of({ n }), dedupeId: `go-${n}-${turns}` },
      });
    }
  }
  const left = (await db.query('select count(*)::int as n from run_work')).rows[0].n;
  if (left === 0) {
    const { rowCount: forks } = await db.query({ text: 'select from run where replay_of = $1', values: [heldId] });
    if (forks > 0) break;
    await replayRun(engine, { projectId, runId: heldId, actor: 'test' });
  }
  await delay(5);
}
await retireDispatcher(engine, dispatcherId);
onFailPoint(undefined);
await db.close();
console.log(JSON.stringify({ reached: [...reached], declared: writingStatements() }));
