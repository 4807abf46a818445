import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { Leftovers } from '../../../sdk/src/execute/leftovers.ts';
import { beginPass } from '../../../sdk/src/execute/runPass.ts';
import type { Answered, SuspendedHandler } from '../../../sdk/src/execute/suspendedHandler.ts';
import type { AnyWorkflow } from '../../../sdk/src/index.ts';
import { decideApproval, expireApprovals } from '../../../src/engine/approvals/index.ts';
import { drawConsequences, failOverrunRuns } from '../../../src/engine/consequences/index.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { registerDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { claimRuns, continueText, invokeText, type Pass, settlePass } from '../../../src/engine/passes/index.ts';
import { nextDueInMs, wakeDueRuns } from '../../../src/engine/work/index.ts';
import { createTestProject } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { drawFrom } from '../kit/turns.ts';
import { startOf } from '../program/program.ts';
import type { Seen } from './journal.ts';
import type { Move, Script } from './script.ts';
import type { TickingClock } from './tickingClock.ts';
import { workflowsOf } from './workflows.ts';

/** Plays a script with the engine. One run at a time executes, as in the test kit. */
export class ServiceWorld {
  readonly engine: EngineContext;
  readonly projectId: string;
  readonly startMs: number;
  readonly #clock: TickingClock;
  readonly #workflows: ReadonlyMap<string, AnyWorkflow>;
  readonly #dispatcherId: string;
  readonly #leftovers = new Leftovers();
  readonly #draw = drawFrom(1);
  /** How many passes continued their handlers, and how many were full. */
  readonly passes = { continued: 0, full: 0 };

  private constructor(
    { engine, clock }: { engine: EngineContext; clock: TickingClock },
    { projectId, dispatcherId, workflows }: { projectId: string; dispatcherId: string; workflows: AnyWorkflow[] },
  ) {
    this.engine = engine;
    this.projectId = projectId;
    this.#clock = clock;
    this.startMs = clock.now().getTime();
    this.#dispatcherId = dispatcherId;
    this.#workflows = new Map(workflows.map((each) => [each.name, each]));
  }

  static async open(host: { engine: EngineContext; clock: TickingClock }, script: Script): Promise<ServiceWorld> {
    const workflows = workflowsOf(script);
    const projectId = await createTestProject(host.engine);
    const definitions = workflows.map(({ definition }) => definition);
    await registerWorkflows(host.engine, projectId, definitions);
    const dispatcherId = await registerDispatcher(host.engine);
    const world = new ServiceWorld(host, { projectId, dispatcherId, workflows });
    const { tags, session } = script;
    await world.#send({ name: startOf(0), key: 'red', tags, session });
    await world.#settle();
    return world;
  }

  async play(move: Move): Promise<Seen> {
    switch (move.kind) {
      case 'advance':
        await this.#advance(move.ms);
        return 'advanced';
      case 'send': {
        const seen = await this.#send(move);
        await this.#settle();
        return seen;
      }
      case 'decide':
        return this.#decide(move);
      case 'cancel':
        return this.#cancel(move.pick);
    }
  }

  workflow(name: string): AnyWorkflow {
    const workflow = this.#workflows.get(name);
    if (!workflow) throw new Error(`no workflow ${name}`);
    return workflow;
  }

  /** Ends what is left, so that it does not wake in the time of a later case. */
  async close(): Promise<void> {
    while ((await this.#cancel(0)) === 'cancelled');
  }

  async #send(event: Partial<Script> & { name: string; key: string | undefined; dedupeId?: string | undefined }) {
    const { name, key, dedupeId, tags, session } = event;
    const input = { name, data: RawJson.of({ key }), dedupeId, tags, session };
    const answer = await sendEvent(this.engine, { projectId: this.projectId, input });
    const started = 'triggered' in answer ? answer.triggered.filter(({ runId }) => runId !== undefined).length : 0;
    return `woke ${answer.deduped ? 0 : answer.woke}, started ${answer.deduped ? 0 : started}`;
  }

  async #decide({ pick, status, isEdited }: Extract<Move, { kind: 'decide' }>): Promise<Seen> {
    const rows = await this.read<{ id: string; step: string }>(
      "select id, step from approval where project_id = $1 and status in ('pending', 'escalated') order by run_id, step_index",
    );
    const question = rows[pick % Math.max(1, rows.length)];
    if (!question) return 'nothing to decide';
    await decideApproval(this.engine, {
      ...{ projectId: this.projectId, approvalId: question.id, status, actor: 'test' },
      args: isEdited ? RawJson.of({ edited: true }) : undefined,
      decider: { decidedBy: 'test', decidedVia: 'api' },
    });
    await this.#settle();
    return `decided ${question.step}`;
  }

  async #cancel(pick: number): Promise<Seen> {
    const rows = await this.read<{ id: string }>(
      'select id from run where project_id = $1 and ended_at is null order by id',
    );
    const run = rows[pick % Math.max(1, rows.length)];
    if (!run) return 'nothing to cancel';
    await cancelRun(this.engine, { projectId: this.projectId, runId: run.id, actor: 'test' });
    await this.#settle();
    return 'cancelled';
  }

  /** Stops at each instant at which something is due. */
  async #advance(ms: number): Promise<void> {
    const target = this.#clock.now().getTime() + ms;
    for (;;) {
      await this.#settle();
      const { workInMs, approvalInMs, endInMs } = await nextDueInMs(this.engine);
      // The clock of statements is a little ahead of the instant.
      const inMs = Math.ceil(Math.min(...[workInMs, approvalInMs, endInMs].map((each) => each ?? Infinity)));
      const due = this.#clock.now().getTime() + inMs;
      if (due > target) break;
      this.#clock.moveTo(due);
    }
    this.#clock.moveTo(target);
  }

  /** Executes what is ready and due, until everything rests. */
  async #settle(): Promise<void> {
    for (let turns = 0; ; turns += 1) {
      if (turns > 500) throw new Error('the runs never rest');
      await this.#drawConsequences();
      await wakeDueRuns(this.engine);
      await expireApprovals(this.engine);
      await failOverrunRuns(this.engine);
      await this.#drawConsequences();
      const [pass] = await this.#claim();
      if (!pass) return;
      await this.#drive(pass);
    }
  }

  async #claim(): Promise<Pass[]> {
    const lanes = await this.read<{ id: number }>('select id from lane where project_id = $1');
    const groups = [{ laneIds: lanes.map(({ id }) => id), limit: 1 }];
    return (await claimRuns(this.engine, { dispatcherId: this.#dispatcherId, groups })).passes;
  }

  async #drive(pass: Pass): Promise<void> {
    let held: SuspendedHandler | undefined;
    for (let turns = 0; ; turns += 1) {
      if (turns > 500) throw new Error(`run ${pass.runId} is invoked for ever`);
      const { reply, suspended } = await this.#answer(pass, held);
      const isHeld = suspended !== undefined;
      const settlement = await settlePass(this.engine, pass, { kind: 'answer', ...reply, elapsedMs: 0, isHeld });
      held = suspended;
      // Here at once, so that the next pass finds them drawn.
      await this.#drawConsequences();
      if (settlement === 'released') return;
    }
  }

  /** Continues the handler that is held, unless either side refuses: each does one time in four. */
  async #answer(pass: Pass, held: SuspendedHandler | undefined): Promise<Answered> {
    const kept = this.#draw(4) === 0 ? undefined : held;
    const members = kept && this.#draw(4) > 0 ? continueText(pass) : undefined;
    const frame = members === undefined ? undefined : JSON.parse(`{${members}}`);
    const isContinued = kept !== undefined && frame !== undefined && kept.canTake(frame);
    this.passes[isContinued ? 'continued' : 'full'] += 1;
    const answered = await (isContinued ? kept.continue(frame, undefined) : this.#begin(pass));
    if (!answered) throw new Error('a pass was aborted');
    return answered;
  }

  #begin(pass: Pass): Promise<Answered | undefined> {
    const request: InvokeRequest = JSON.parse(invokeText(pass));
    const { signal } = new AbortController();
    return beginPass(this.workflow(request.ctx.workflow), request, { leftovers: this.#leftovers, signal });
  }

  /** Draws the consequences of ended runs, which the engine does in the background too. */
  async #drawConsequences(): Promise<void> {
    for (;;) {
      const rows = await this.read<{ run_id: string }>(
        'select run_id from run_outcome o join run r on r.id = o.run_id where r.project_id = $1',
      );
      if (rows.length === 0) return;
      await drawConsequences(
        this.engine,
        rows.map((row) => row.run_id),
      );
    }
  }

  /** Rows about the project, which is the first parameter. */
  async read<Row>(text: string): Promise<Row[]> {
    const { rows } = await this.engine.db.query({ text, values: [this.projectId] });
    return rows as Row[];
  }
}
