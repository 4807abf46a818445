// A little service as crashWorker.mjs is one, whose workflows all have flow control: every gate,
// buffer and queue is passed.
import { setTimeout as delay } from 'node:timers/promises';
import { idOf, load, opcode, playScenes } from './mortalEngine.mjs';

const { flushDueBuffers } = await load('engine/admission/index.js');
const { checkBudgets, takeOwedTurns } = await load('engine/flow/policies/index.js');
const { sendEvent, recoverPending } = await load('engine/events/index.js');
const { sweepGates } = await load('engine/flow/policies/concurrency/index.js');
const { RawJson } = await load('engine/json/index.js');
const { recoverConsequences } = await load('engine/consequences/index.js');
const { wakeDueRuns } = await load('engine/work/index.js');

/** How far booked starts lie ahead: as far as the window of the budget reaches. */
const bookedAheadMs = 60_000;

const workflows = [
  {
    name: 'once',
    idempotency: { key: 'n' },
    rateLimit: { limit: 100, perMs: 1_000 },
    throttle: { limit: 1_000, perMs: 5_000 },
  },
  { name: 'shed', idempotency: { key: 'n' }, rateLimit: { limit: 1, perMs: 3_600_000 } },
  { name: 'loop', singleton: {} },
  { name: 'newest', singleton: {} },
  { name: 'last', debounce: { periodMs: 30 } },
  { name: 'many', batch: { maxSize: 3, timeoutMs: 30 } },
  { name: 'narrow', concurrency: { limit: 1 } },
  { name: 'spendy', tokenThrottle: { tokens: 10, perMs: 50 } },
  { name: 'dear', budget: { maxTokens: 5, windowMs: 60_000, warnAtPct: 50 } },
  { name: 'queue', batch: { maxSize: 1, timeoutMs: 30 }, singleton: { mode: 'skip' } },
  { name: 'paced', throttle: { limit: 1, perMs: 3_600_000 } },
  { name: 'booked', throttle: { limit: 1, perMs: 10 } },
  { name: 'quiet', debounce: { periodMs: 3_600_000 } },
  { name: 'adopted' },
];

/** The handler, as what it answers to the memo so far. */
function handle({ ctx, event, steps }) {
  const ask = (...opcodes) => [206, { opcodes, logs: [] }];
  const isFirst = (name) => !steps[idOf(name)];
  if (ctx.workflow === 'loop' && event.data.n === 0 && isFirst('again')) {
    // Several of one batch at once, so that one has to be split.
    const many = [10, 11, 12, 13].map((n) => opcode('Emit', `many-${n}`, { eventName: 'many', data: { n } }));
    return ask(...many, opcode('Emit', 'again', { eventName: 'loop', data: { n: 1 } }));
  }
  if (ctx.workflow === 'narrow' && isFirst('work')) return ask(opcode('StepRun', 'work', { data: event.data.n }));
  if (ctx.workflow === 'spendy' && isFirst('call')) return ask(opcode('StepRun', 'call', { usage: { tokensIn: 8 } }));
  if (ctx.workflow === 'dear' && isFirst('call')) return ask(opcode('StepRun', 'call', { usage: { tokensIn: 10 } }));
  if (ctx.workflow === 'dear' && isFirst('nap')) return ask(opcode('Sleep', 'nap', { sleepMs: 50 }));
  return [200, { data: event.data.n, logs: [] }];
}

// A limit that comes after the run that it counts, and other paces for what already waits.
const changes = {
  adopted: { concurrency: { limit: 1 } },
  spendy: { tokenThrottle: { tokens: 10, perMs: 40 } },
  paced: { throttle: { limit: 1, perMs: 10 } },
  quiet: { debounce: { periodMs: 10 } },
};
const limited = workflows.map((each) => ({ ...each, ...changes[each.name] }));
const unbound = limited.map(({ budget, ...each }) => each);

const execute = async (mortal, names) => {
  const passes = await mortal.claim(names);
  await Promise.all(passes.map((pass) => mortal.drive(pass, handle)));
};

/** Whatever a policy is to hold back, in an order that tells whether it did. */
async function begin(mortal) {
  const { db, engine, projectId } = mortal;
  const send = (name, n, no = 'a', more = {}) =>
    sendEvent(engine, { projectId, input: { name, data: RawJson.of({ n }), dedupeId: `${name}-${n}-${no}`, ...more } });
  // A ceiling on the whole project, so that it is met as well.
  await db.query('update project set concurrency_ceiling = 2, registry_version = registry_version + 1');
  engine.registry.invalidate(projectId);
  await send('adopted', 0);
  for (const n of [0, 1]) await send('paced', n);
  // Both for one instant, which comes only when nothing else is left to do: none is late already
  // when it is sent, and one of them has to wait for its turn.
  const startAt = new Date(mortal.now().getTime() + bookedAheadMs).toISOString();
  for (const n of [0, 1]) await send('booked', n, 'a', { startAt });
  await send('quiet', 0);
  await mortal.register(limited);
  await execute(mortal, ['adopted']);
  await Promise.all([0, 1, 2].flatMap((n) => [send('once', n, 'a'), send('once', n, 'b')]));
  for (const n of [0, 1]) await send('shed', n);
  await mortal.trigger('loop', 0);
  for (const n of [0, 1]) await send('newest', n);
  for (const n of [0, 1, 2]) await send('last', n);
  await Promise.all([0, 1, 2, 3, 4, 5, 6].map((n) => send('many', n)));
  await Promise.all([0, 1, 2, 3].map((n) => send('narrow', n)));
  for (const n of [0, 1, 2]) await send('spendy', n);
  await send('dear', 0);
  for (const n of [0, 1]) await send('queue', n);
}

async function turn(mortal) {
  const { engine } = mortal;
  await mortal.beat();
  await takeOwedTurns(engine);
  await wakeDueRuns(engine);
  await recoverPending(engine);
  await recoverConsequences(engine);
  await flushDueBuffers(engine);
  await sweepGates(engine);
  await checkBudgets(engine);
  const names = workflows.map(({ name }) => name);
  await execute(mortal, names);
}

await playScenes(async (mortal) => {
  const { db, engine } = mortal;
  await mortal.open(workflows);
  await begin(mortal);
  for (let turns = 0; turns < 400; turns += 1) {
    await turn(mortal);
    const { rows } = await db.query(`
      select (select count(*) from run_work)::int + (select count(*) from flow_buffer)::int as left,
        (select count(*) from run_work where state = 'paused' or owed_turn is not null)::int as held`);
    const [{ left, held }] = rows;
    if (left === 0) break;
    // Only time holds somebody: the window of the budget goes by, and booked starts become due.
    if (left === held) mortal.advance(bookedAheadMs);
    await delay(5);
  }
  // A budget that is taken away: one look finds that it holds nobody any more, the next forgets it.
  await mortal.register(unbound);
  await checkBudgets(engine);
  await checkBudgets(engine);
});
