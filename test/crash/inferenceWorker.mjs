// The queue of model calls in a process of its own, without a provider: it executes calls by a
// script until their runs have ended. Run by failPoints.test.ts, like crashWorker.mjs.
import { setTimeout as delay } from 'node:timers/promises';
import { idOf, load, opcode, playScenes } from './mortalEngine.mjs';

const inference = await load('engine/inference/index.js');
const { wakePass } = await load('engine/passes/index.js');
const { recoverConsequences } = await load('engine/consequences/index.js');
const { offerEagerWakes, wakeDueRuns } = await load('engine/work/index.js');
const { newId } = await load('engine/ids.js');

const { beginSend, claimCalls, firstPlace, rescueCalls, settleCall, tickProcess, unholdLook } = inference;

const steps = ['a', 'b', 'c', 'd', 'look'];

/** The handler: it asks a model side by side, with one request that the cache may answer. */
function handle({ steps: memo }) {
  const open = steps.filter((name) => !memo[idOf(name)]);
  const isDone = steps.every((name) => memo[idOf(name)] && !memo[idOf(name)].pending);
  if (isDone) return [200, { data: 'done', logs: [] }];
  const ask = (name) => {
    const data = { model: 'opus', prompt: name, maxTokens: 40 };
    return opcode('Infer', name, { data: name === 'look' ? { ...data, temperature: 0 } : data });
  };
  return [206, { opcodes: open.map(ask), logs: [] }];
}

/** The handler of `plain`: it asks for one answer, which nothing holds back, and sleeps. */
function handlePlain({ steps: memo }) {
  const call = opcode('Infer', 'p', { data: { model: 'sonnet', prompt: 'p', maxTokens: 40 } });
  for (const step of [call, opcode('Sleep', 'nap', { sleepMs: 1 })]) {
    const known = memo[step.id];
    if (!known) return [206, { opcodes: [step], logs: [] }];
    if (known.pending) return [206, { opcodes: [], logs: [] }];
  }
  return [200, { data: 'done', logs: [] }];
}

const answer = { kind: 'text', text: 'hi', content: [], model: 'opus', finishReason: 'stop' };
const answered = { outcome: 'answered', answer, usage: { tokensIn: 3, tokensOut: 1 }, status: 200, warnings: [] };
const refused = { outcome: 'refused', refusal: { kind: 'overloaded' }, status: 529, message: 'overloaded' };
const unknown = { outcome: 'unknown', usage: { tokensIn: 3 }, message: 'the stream was cut' };
const succeeded = { kind: 'succeeded', output: '{"text":"hi"}', ai: { finishReason: 'stop' } };

/** How the provider treats a call, by its step and its sends before: the first ones may fail. */
function course({ stepIndex, sends, workflow }) {
  if (workflow === 'plain' || sends > 0 || stepIndex > 1) return [answered, succeeded];
  if (stepIndex === 0) return [refused, { kind: 'held', forMs: 5, reason: 'overloaded' }];
  return [unknown, { kind: 'again', inMs: 5, failed: true }];
}

/** Sends a call and records how that ended, unless the call may not be sent now. */
async function execute(engine, processId, call, [ending, outcome] = course(call)) {
  if (call.looksUp) return unholdLook(engine, { processId, call });
  const start = await beginSend(engine, call, { processId, price: undefined });
  if (start.kind !== 'send') return undefined;
  const send = { number: start.number, ending, cost: undefined, latencyMs: 1 };
  return settleCall(engine, call, { processId, send, outcome });
}

/** Calls whose first send fails come last, so each scene meets a hold and an unknown end. */
async function claim(engine, processId, room) {
  const { calls } = await claimCalls(engine, { processId, registers: true, room, after: firstPlace });
  return calls.sort((one, other) => one.looksUp - other.looksUp || other.stepIndex - one.stepIndex);
}

/** Calls that are sent with their commit, and runs that are leased as they wake. */
class ShortWay {
  #mortal;
  #processId;
  #begun = [];
  #woken = [];

  constructor(mortal, processId) {
    const { engine, dispatcherId } = mortal;
    this.#mortal = mortal;
    this.#processId = processId;
    const begin = (calls) => void this.#begun.push(...calls);
    inference.offerSeats(engine, () => ({ processId, registers: true, begin, cancel: () => {} }));
    const wake = (run, steps) => void this.#woken.push(wakePass(engine, run, { dispatcherId, steps }));
    offerEagerWakes(engine, () => ({ dispatcherId, begin: wake, cancel: () => {} }));
  }

  /** Answers the calls, and executes the runs. */
  async go() {
    const { engine } = this.#mortal;
    for (const { call, send } of this.#begun.splice(0)) {
      const sent = { ...send, ending: answered, cost: undefined, latencyMs: 1 };
      await settleCall(engine, call, { processId: this.#processId, send: sent, outcome: succeeded });
    }
    for (const pass of await Promise.all(this.#woken.splice(0))) {
      const [status, body] = handlePlain(JSON.parse(pass.invokeText()));
      await pass.settle({ kind: 'answer', status, body: JSON.stringify(body), elapsedMs: 1 });
    }
  }
}

/** A process that others find dead, and that answers after all. */
async function answerLate(mortal, rescue) {
  const { engine } = mortal;
  const processId = newId();
  const [call] = await claim(engine, processId, 1);
  if (!call || call.looksUp) return;
  const start = await beginSend(engine, call, { processId, price: undefined });
  await rescue();
  if (start.kind !== 'send') return;
  const send = { number: start.number, ending: answered, cost: undefined, latencyMs: 1 };
  await settleCall(engine, call, { processId, send, outcome: succeeded });
}

/** A lane takes the short way after some successes, under each of its keys. */
const plainRuns = 8;

await playScenes(async (mortal) => {
  const { db, engine } = mortal;
  await mortal.open([{ name: 'ask', cap: { maxTokens: 50 } }, { name: 'plain' }]);
  const { projectId } = mortal;
  for (const n of [0, 1]) await mortal.trigger('ask', n);
  const processId = newId();
  const shortWay = new ShortWay(mortal, processId);
  const vigil = new inference.Vigil();
  const tick = async () => {
    mortal.advance(2_500);
    await mortal.beat();
    const { mayRescue } = await tickProcess(engine, { processId, beats: true, vigil, calls: [] });
    if (mayRescue) await rescueCalls(engine, processId);
  };
  const isOver = async () => (await db.query('select from run_work limit 1')).rowCount === 0;
  for (let turns = 0; turns < 400 && (turns < plainRuns || !(await isOver())); turns += 1) {
    await wakeDueRuns(engine);
    await recoverConsequences(engine);
    for (const pass of await mortal.claim(['ask'])) await mortal.drive(pass, handle);
    if (turns < plainRuns) await mortal.trigger('plain', turns);
    for (const pass of await mortal.claim(['plain'])) await mortal.drive(pass, handlePlain);
    await shortWay.go();
    if (turns === 1) {
      await inference.setProviderKey(engine, { projectId, provider: 'anthropic', apiKey: 'sk-1' });
      await inference.relaneCalls(engine, projectId, 'anthropic');
    }
    const [released, stray, ...calls] = await claim(engine, processId, 6);
    const known = [released, ...calls].filter(Boolean);
    // The lease of one is not known to its process, and one goes back before its request leaves.
    if (stray) {
      await beginSend(engine, stray, { processId, price: undefined });
      await inference.releaseStrays(engine, { processId, known });
    }
    if (released) {
      if (!released.looksUp && turns < 3) await beginSend(engine, released, { processId, price: undefined });
      if (turns < 3) await inference.releaseCalls(engine, { processId, calls: [released] });
      else await execute(engine, processId, released);
    }
    await Promise.all(calls.map((call) => execute(engine, processId, call)));
    if (turns === 2)
      await answerLate(mortal, async () => {
        for (let beats = 0; beats < 5; beats += 1) await tick();
      });
    else await tick();
    await inference.failOverdueCalls(engine);
    await delay(1);
  }
  await inference.retireProcess(engine, processId);
  mortal.advance(40 * 86_400_000);
  await inference.forgetInference(engine);
  await inference.forgetOrphans(engine, { after: inference.firstCall });
});
