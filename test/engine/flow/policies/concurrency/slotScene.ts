import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { triggerWorkflow } from '../../../../../src/engine/admission/index.ts';
import { createEngine } from '../../../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import type { EngineContext } from '../../../../../src/engine/context.ts';
import { cancelRun, pauseRun, resumeRun } from '../../../../../src/engine/control/index.ts';
import { registerDispatcher, tickDispatcher } from '../../../../../src/engine/dispatchers/index.ts';
import { openGates, sweepGates } from '../../../../../src/engine/flow/policies/concurrency/index.ts';
import { RawJson } from '../../../../../src/engine/json/index.ts';
import { claimRuns, type Pass, settlePass } from '../../../../../src/engine/passes/index.ts';
import { updateProject } from '../../../../../src/engine/projects/index.ts';
import { releaseRuns, wakeDueRuns } from '../../../../../src/engine/work/index.ts';
import { createTestEngine, createTestProject, type OwnedEngine } from '../../../../support/engine.ts';
import { complete, steps } from '../../../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../../../support/workflows.ts';
import { SlotLedger } from './slotLedger.ts';

export const keys = ['a', 'b', 'c'] as const;
export type Key = (typeof keys)[number];
export type WorkflowName = 'keyed' | 'whole' | 'free';

export interface Limits {
  keyed: number;
  whole: number;
  /** 0: no ceiling. */
  ceiling: number;
}

/** A process: an engine, its dispatcher, and the runs that it executes. */
interface Member {
  engine: EngineContext;
  dispatcherId: string;
  held: Pass[];
}

interface Started {
  runId: string;
  slot: string | undefined;
  /** Whether anything but its queue position decided when it was executed. */
  isDisturbed: boolean;
  /** The process has ended, though one of its claims may still return. */
  isCancelled: boolean;
}

const silentMs = 2_500;

/**
 * Several processes that execute runs of one project at the same time, with a ledger of the
 * executing runs.
 */
export class SlotScene {
  readonly members: readonly Member[];
  readonly runs: Started[] = [];
  ledger = new SlotLedger();
  projectId = '';
  readonly #test: OwnedEngine;
  readonly #clock: ManualClock;

  private constructor(test: OwnedEngine, clock: ManualClock, engines: readonly EngineContext[]) {
    this.#test = test;
    this.#clock = clock;
    this.members = engines.map((engine) => ({ engine, dispatcherId: '', held: [] }));
  }

  static async open(): Promise<SlotScene> {
    const clock = new ManualClock(new Date('2026-05-01T12:00:00Z'));
    const test = await createTestEngine({ clock });
    const sibling = () => createEngine({ db: test.db, log: test.engine.log, clock, settings: test.engine.settings });
    return new SlotScene(test, clock, [test.engine, sibling(), sibling()]);
  }

  close(): Promise<void> {
    return this.#test.close();
  }

  get db() {
    return this.#test.db;
  }

  get engine(): EngineContext {
    return this.#test.engine;
  }

  /** A new project without any state. */
  async begin(limits: Limits): Promise<void> {
    this.projectId = await createTestProject(this.engine);
    this.ledger = new SlotLedger();
    this.runs.length = 0;
    await this.setLimits(limits, limits);
    for (const member of this.members) {
      member.held = [];
      member.dispatcherId = await registerDispatcher(member.engine);
    }
  }

  /** Sets limits. During the change, the larger ones count. */
  async setLimits(next: Limits, before: Limits): Promise<void> {
    const larger = (one: number, other: number): number => (one === 0 || other === 0 ? 0 : Math.max(one, other));
    this.#note({
      keyed: Math.max(next.keyed, before.keyed),
      whole: Math.max(next.whole, before.whole),
      ceiling: larger(next.ceiling, before.ceiling),
    });
    const workflows: WireWorkflow[] = [
      { name: 'keyed', concurrency: { limit: next.keyed, key: 'k' } },
      { name: 'whole', concurrency: { limit: next.whole } },
      { name: 'free' },
    ];
    await registerWorkflows(this.engine, this.projectId, workflows);
    await updateProject(this.engine, { id: this.projectId, concurrencyCeiling: next.ceiling });
  }

  /** All work that began under former limits has ended. */
  limitsSettled(limits: Limits): void {
    this.#note(limits);
  }

  #note({ keyed, whole, ceiling }: Limits): void {
    for (const key of keys) this.ledger.limit(key, keyed);
    this.ledger.limit('whole', whole);
    this.ledger.ceiling(ceiling);
  }

  async start(member: Member, name: WorkflowName, key: Key): Promise<void> {
    const input = { input: RawJson.of({ k: key }) };
    const { runId } = await triggerWorkflow(member.engine, { projectId: this.projectId, app: 'default', name, input });
    if (!runId) throw new Error('nothing was started');
    this.runs.push({
      runId,
      slot: name === 'free' ? undefined : name === 'keyed' ? key : name,
      isDisturbed: false,
      isCancelled: false,
    });
  }

  async claim(member: Member, limit: number): Promise<number> {
    const lanes = await this.db.prisma.lane.findMany({ where: { projectId: this.projectId } });
    const groups = lanes.map(({ id }) => ({ laneIds: [id], limit }));
    const { dispatcherId } = member;
    const { passes } = await claimRuns(member.engine, { dispatcherId, groups });
    for (const pass of passes) {
      const run = this.runs.find(({ runId }) => runId === pass.runId);
      if (run?.isCancelled) continue;
      this.ledger.begin(pass.runId, { slot: run?.slot });
      member.held.push(pass);
    }
    return passes.length;
  }

  /** Ends the run that has executed longest, or lets it sleep. */
  async settle(member: Member, how: 'end' | 'step' | 'sleep'): Promise<void> {
    const pass = member.held.shift();
    if (!pass) return;
    if (how === 'step') {
      const name = `step ${pass.claimNo}`;
      const settled = await settlePass(member.engine, pass, steps([{ op: 'StepRun', name, data: 1 }]));
      if (settled === 'again') member.held.push(pass);
      else this.ledger.end(pass.runId);
      return;
    }
    this.ledger.end(pass.runId);
    const nap = steps([{ op: 'Sleep', name: `nap ${pass.claimNo}`, sleepMs: 1_000 }]);
    await settlePass(member.engine, pass, how === 'end' ? complete('done') : nap);
  }

  async release(member: Member): Promise<void> {
    const pass = member.held.shift();
    if (!pass) return;
    this.ledger.end(pass.runId);
    await releaseRuns(member.engine, member.dispatcherId, [pass.runId]);
  }

  /** Kills the process and starts another. Advances the clock until the others notice. */
  async die(member: Member): Promise<void> {
    for (const pass of member.held.splice(0)) this.ledger.end(pass.runId);
    member.dispatcherId = await registerDispatcher(member.engine);
    await this.pass(3 * silentMs);
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= silentMs) {
      this.#clock.advance(Math.min(left, silentMs));
      for (const { engine, dispatcherId } of this.members) await tickDispatcher(engine, dispatcherId);
    }
    await wakeDueRuns(this.engine);
  }

  /**
   * Pauses, resumes or cancels a run chosen by number. An executing run no longer counts, because
   * its pass will be refused.
   */
  async control(member: Member, how: 'pause' | 'resume' | 'cancel', number: number): Promise<void> {
    const run = this.runs[number % Math.max(1, this.runs.length)];
    if (!run) return;
    run.isDisturbed = true;
    const call = { projectId: this.projectId, runId: run.runId, actor: undefined };
    const act = { pause: pauseRun, resume: resumeRun, cancel: cancelRun }[how];
    if (how === 'cancel') {
      run.isCancelled = true;
      this.ledger.end(run.runId);
    }
    await act(member.engine, call).catch((error: unknown) => {
      if (!(error instanceof Error && 'kind' in error && error.kind === 'conflict')) throw error;
    });
    if (how === 'cancel')
      for (const { held } of this.members)
        held.splice(0, held.length, ...held.filter((pass) => pass.runId !== run.runId));
  }

  /** Waits until each process has opened its gates. */
  async looked(): Promise<void> {
    for (const { engine } of this.members) await openGates(engine, { slots: ['0'], projectIds: [] });
  }

  async sweep(): Promise<void> {
    await sweepGates(this.engine);
    await this.looked();
  }

  /** Slots and projects with a free permit and a waiting run. */
  async forgotten(): Promise<string[]> {
    const { rows } = await this.db.query<{ slot_key: string; waiting: number; promised: number }>({
      name: 'forgottenSlots',
      text: `
        select coalesce(max(slot_key), '') as slot_key, count(*) filter (where gate = 'slot')::int as waiting,
          count(*) filter (where state in ('leased', 'ready') or gate = 'ceiling')::int as promised
        from run_work where project_id = $1 and slot is not null group by slot`,
      values: [this.projectId],
    });
    return rows.flatMap(({ slot_key, waiting, promised }) => {
      const slot = slot_key === '' ? 'whole' : slot_key.slice(1);
      return waiting > 0 && promised < this.ledger.limitOf(slot)
        ? [`${slot}: ${waiting} wait, ${promised} promised`]
        : [];
    });
  }
}
