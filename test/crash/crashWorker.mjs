// A whole little service in a process of its own, without sockets: it starts runs, executes them by
// a script, ends when all are over. Run by failPoints.test.ts, which lets it die at a named place
// and then runs it again.
import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { idOf, load, opcode, playScenes } from './mortalEngine.mjs';

const { decideApproval, expireApprovals } = await load('engine/approvals/index.js');
const { sendEvent, recoverLooks, recoverPending } = await load('engine/events/index.js');
const { RawJson } = await load('engine/json/index.js');
const { cancelRun, pauseRun, replayRun, resumeRun } = await load('engine/control/index.js');
const { recoverConsequences } = await load('engine/consequences/index.js');
const { lookAfterStranded, failOverdueRuns } = await load('engine/routing/index.js');
const { triggerWorkflow } = await load('engine/admission/index.js');
const { wakeDueRuns, releaseRuns } = await load('engine/work/index.js');
const { createSource } = await load('engine/webhooks/config/index.js');
const { openInbox, receiveMessage, replaySourceDelivery } = await load('engine/webhooks/inbound/index.js');

/** The handler, as what it answers to the memo so far. */
function handle({ ctx, event, steps }) {
  const memo = (name) => steps[idOf(name)];
  if (ctx.workflow === 'plain') return stepByStep(memo);
  if (['second', 'held', 'hooked', 'gated'].includes(ctx.workflow)) return [200, { data: ctx.workflow, logs: [] }];
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
    // What is over before the run parks is ended at the step boundary.
    return discovered(
      opcode('StepRun', 'a', { data: event.data.n, usage: { tokensIn: 2, tokensOut: 3 } }),
      opcode('SleepUntil', 'past', { sleepUntilMs: 1 }),
    );
  }
  if (!memo('nap')) {
    return discovered(
      opcode('Sleep', 'nap', { sleepMs: 5 }),
      opcode('WaitForEvent', 'go', { eventName: 'go', eventIf: `data.n == ${event.data.n}`, sinceMs: 1 }),
    );
  }
  if (memo('nap').pending || memo('go').pending) return discovered();
  if (!memo('tell')) return discovered(opcode('Emit', 'tell', { eventName: 'second', data: { n: event.data.n } }));
  // It came before the wait.
  if (!memo('told')) {
    const wait = { eventName: 'second', eventIf: `data.n == ${event.data.n}`, sinceMs: 1 };
    return discovered(opcode('WaitForEvent', 'told', wait));
  }
  return [200, { data: { n: event.data.n }, logs: [] }];
}

/** One step after another, without anything else to record: the later ones are committed alone. */
function stepByStep(memo) {
  const next = ['one', 'two', 'three'].find((name) => !memo(name));
  return next ? [206, { opcodes: [opcode('StepRun', next)], logs: [] }] : [200, { data: 'plain', logs: [] }];
}

/** One approval that somebody decides, one that its deadline does; then a score and a send. */
function askTwice(memo) {
  const [sign, late] = [memo('sign'), memo('late')];
  if (sign && late) {
    if (sign.pending || late.pending) return [206, { opcodes: [], logs: [] }];
    if (memo('rate')) return [200, { data: 1, logs: [] }];
    const score = opcode('Score', 'rate', { data: { name: 'quality', value: 1 } });
    const send = opcode('Webhook', 'post', { webhookUrl: 'https://partner.example/', data: 1 });
    return [206, { opcodes: [score, send], logs: [] }];
  }
  const opcodes = [
    opcode('Approval', 'sign', { tool: 'refund', data: { amount: 5 } }),
    opcode('Approval', 'late', { tool: 'refund', timeoutMs: 1, onTimeout: 'reject' }),
  ];
  return [206, { opcodes, logs: [] }];
}

async function decideOpen({ db, engine, projectId }) {
  const { rows } = await db.query("select id from approval where step = 'sign' and status = 'pending' order by id");
  const decider = { decidedBy: 'test', decidedVia: 'api' };
  for (const { id } of rows) {
    const call = { projectId, approvalId: id, status: 'approved', args: undefined, decider, actor: 'test' };
    await decideApproval(engine, call);
  }
}

async function turn(mortal) {
  const { engine, dispatcherId } = mortal;
  await mortal.beat();
  await lookAfterStranded(engine);
  await wakeDueRuns(engine);
  await failOverdueRuns(engine);
  await recoverPending(engine);
  await recoverLooks(engine);
  await recoverConsequences(engine);
  await expireApprovals(engine);
  await decideOpen(mortal);
  const passes = await mortal.claim(['flow', 'second', 'signed', 'held', 'plain', 'hooked', 'gated']);
  const [first, ...others] = passes;
  // One goes back unexecuted, so that handing back is tried too.
  if (first && others.length > 0) await releaseRuns(engine, dispatcherId, [first.runId]);
  await Promise.all((others.length > 0 ? others : passes).map((pass) => mortal.drive(pass, handle)));
}

const runs = [0, 1, 2, 3];
const unlessConflict = (error) => {
  if (error.kind !== 'conflict') throw error;
};

const here = { isGone: () => false, whenOver: () => undefined };

/**
 * Signed messages, which their sender repeats as long as nobody answers it, one that does not
 * verify, and one replay.
 */
async function sendMessages({ db, engine, projectId }, eventName) {
  const token = `the-token-of-${eventName}`;
  const secret = 'a secret of the sender';
  const settings = { projectId, actor: 'test', token, secret, eventName, dedupeKey: 'n' };
  await createSource(engine, settings).catch(unlessConflict);
  const send = async (text, key) => {
    const t = Math.floor(engine.clock.now().getTime() / 1000);
    const s = createHmac('sha256', key).update(`${t}.${text}`).digest('hex');
    const { question } = await openInbox(engine, token, here);
    const headers = [['X-Service-Signature', `t=${t}&s=${s}`]];
    return receiveMessage(engine, question, { headers, body: Buffer.from(text) });
  };
  await Promise.all(runs.map((n) => send(`{"n":${n}}`, secret)));
  await send('{}', 'another secret');
  const { rows } = await db.query({
    text: `select d.id from webhook_source_delivery d join webhook_source s on s.id = d.source_id
      where s.event_name = $1 and d.status = 'ingested' order by d.id`,
    values: [eventName],
  });
  await replaySourceDelivery(engine, { projectId, deliveryId: rows[0].id, actor: 'test' });
}

/**
 * What is asked of the service before anything is executed. Answers the run that is paused, resumed
 * and started over.
 */
async function begin(mortal) {
  const { db, engine, projectId } = mortal;
  await Promise.all(runs.map((n) => mortal.trigger('flow', n)));
  await mortal.trigger('signed', 0);
  // Without a key against repeats, so that it is for us not to repeat it.
  const { rows: plain } = await db.query("select id from run where workflow = 'plain'");
  if (plain.length === 0) await triggerWorkflow(engine, { projectId, app: 'default', name: 'plain', input: {} });
  const control = async (name, ...controls) => {
    const started = await mortal.trigger(name, 0);
    const text = 'select id from run where workflow = $1 order by id';
    const runId = started.runId ?? (await db.query({ text, values: [name] })).rows[0].id;
    for (const each of controls) await each(engine, { projectId, runId, actor: 'test' }).catch(unlessConflict);
    return runId;
  };
  await control('doomed', cancelRun);
  for (const eventName of ['hooked', 'gated']) await sendMessages(mortal, eventName);
  const heldId = await control('held', pauseRun, resumeRun);
  // Parked for want of a runner, then revived.
  await db.query('update runner set connected = false');
  await lookAfterStranded(engine);
  await db.query('update runner set connected = true, last_seen_at = $1', [mortal.now()]);
  return heldId;
}

await playScenes(async (mortal) => {
  const { db, engine } = mortal;
  await mortal.open([
    { name: 'flow', retry: { maxAttempts: 3 } },
    { name: 'second' },
    { name: 'plain' },
    { name: 'doomed' },
    { name: 'signed' },
    { name: 'held' },
    { name: 'hooked' },
    { name: 'gated', idempotency: { key: 'n' } },
  ]);
  const { projectId } = mortal;
  const heldId = await begin(mortal);
  const count = async (table) => (await db.query(`select count(*)::int as n from ${table}`)).rows[0].n;
  for (let turns = 0; turns < 400; turns += 1) {
    await turn(mortal);
    const waits = await count('run_wait');
    for (const n of waits > 0 ? runs : []) {
      const input = { name: 'go', data: RawJson.of({ n }), dedupeId: `go-${n}-${turns}` };
      await sendEvent(engine, { projectId, input });
    }
    if ((await count('run_work')) === 0) {
      const { rowCount: forks } = await db.query({ text: 'select from run where replay_of = $1', values: [heldId] });
      if (forks > 0) break;
      await replayRun(engine, { projectId, runId: heldId, actor: 'test' });
    }
    await delay(5);
  }
});
