import { createHash } from 'node:crypto';
import type { InvokeRequest, Opcode, StepError, WireLogLine } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../../src/engine/context.ts';
import { registerDispatcher } from '../../src/engine/dispatchers/index.ts';
import { sweepGates } from '../../src/engine/flow/policies/concurrency/index.ts';
import { takeOwedTurns } from '../../src/engine/flow/policies/index.ts';
import { claimRuns, invokeText, type Pass, type Reply, settlePass } from '../../src/engine/passes/index.ts';
import { lookAfterStranded } from '../../src/engine/routing/index.ts';
import { wakeDueRuns } from '../../src/engine/work/index.ts';

/** A scripted handler's answer to an invoke. */
export type Script = (request: InvokeRequest) => Reply;

export const idOf = (name: string): string => createHash('sha256').update(name).digest('hex');

const body = (value: unknown): string => JSON.stringify(value);

export const complete = (data: unknown, logs: WireLogLine[] = []): Reply => answer(200, { data, logs });
export const steps = (
  opcodes: (Omit<Opcode, 'id'> & { [field: string]: unknown })[],
  logs: WireLogLine[] = [],
): Reply => answer(206, { opcodes: opcodes.map((each) => ({ id: idOf(String(each['name'])), ...each })), logs });
export const thrown = (error: StepError, logs: WireLogLine[] = []): Reply => answer(500, { error, logs });
export const answer = (status: number, value: unknown): Reply => ({
  kind: 'answer',
  status,
  body: body(value),
  elapsedMs: 1,
});

/** The memo of a step in a request. */
export const memoOf = (request: InvokeRequest, name: string) => request.steps[idOf(name)];

/** A dispatcher whose runner is a function. The test triggers every action. */
export class ScriptedDispatcher {
  readonly #engine: EngineContext;
  readonly #script: Script;
  readonly requests: InvokeRequest[] = [];
  id = '';

  constructor(engine: EngineContext, script: Script) {
    this.#engine = engine;
    this.#script = script;
  }

  async start(): Promise<this> {
    this.id = await registerDispatcher(this.#engine);
    return this;
  }

  /** Leases all ready runs. */
  async claim(limit = 1000): Promise<Pass[]> {
    const lanes = await this.#engine.db.prisma.lane.findMany();
    const groups = lanes.map((lane) => ({ laneIds: [lane.id], limit }));
    return (await claimRuns(this.#engine, { dispatcherId: this.id, groups })).passes;
  }

  /** Invokes until the run is released. */
  async drive(pass: Pass): Promise<void> {
    let settlement = 'again';
    while (settlement === 'again') {
      const request: InvokeRequest = JSON.parse(invokeText(pass));
      this.requests.push(request);
      settlement = await settlePass(this.#engine, pass, this.#script(request));
    }
  }

  /** Claims and drives until no run is ready. Returns how many runs it claimed. */
  async runOnce(): Promise<number> {
    let taken = 0;
    for (;;) {
      await takeOwedTurns(this.#engine);
      await wakeDueRuns(this.#engine);
      let passes = await this.claim();
      if (passes.length === 0) {
        // Opens the gates for released slots at once, instead of soon.
        await sweepGates(this.#engine);
        passes = await this.claim();
      }
      if (passes.length === 0) return taken;
      taken += passes.length;
      await Promise.all(passes.map((pass) => this.drive(pass)));
    }
  }

  /** Runs one turn of the scheduler's check for lanes without runners. */
  lookAfterStranded = () => lookAfterStranded(this.#engine);
}
