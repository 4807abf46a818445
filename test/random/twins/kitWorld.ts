import type { TestedRun, TestRun } from '../../../sdk/src/testing/index.ts';
import { testRun } from '../../../sdk/src/testing/index.ts';
import { startOf } from '../program/program.ts';
import { type RunTold, type Seen, told, type WorldTold, withoutIds } from './journal.ts';
import type { Move, Script } from './script.ts';
import { workflowsOf } from './workflows.ts';

/** Plays a script with the test kit. */
export class KitWorld {
  readonly #t: TestRun<unknown>;
  readonly #startMs: number;

  private constructor(t: TestRun<unknown>, startMs: number) {
    this.#t = t;
    this.#startMs = startMs;
  }

  static async open(script: Script, startMs: number): Promise<KitWorld> {
    const workflows = workflowsOf(script);
    const [first] = workflows;
    if (first === undefined) throw new Error('a script has no workflow');
    const { tags, session } = script;
    const event = { name: startOf(0), data: { key: 'red' } } as never;
    const t = await testRun(first, { event, workflows, now: startMs, tags, session });
    return new KitWorld(t, startMs);
  }

  get #runs(): TestedRun[] {
    return [this.#t, ...this.#t.runs];
  }

  async play(move: Move): Promise<Seen> {
    switch (move.kind) {
      case 'advance':
        await this.#t.advance(move.ms);
        return 'advanced';
      case 'send': {
        const { woke, runIds } = await this.#t.send({
          name: move.name,
          data: { key: move.key },
          dedupeId: move.dedupeId,
        });
        return `woke ${woke}, started ${runIds.length}`;
      }
      case 'decide': {
        const open = this.#runs.flatMap(({ approvals }) =>
          approvals.filter(({ status }) => status === 'pending' || status === 'escalated'),
        );
        const question = open[move.pick % Math.max(1, open.length)];
        if (question === undefined) return 'nothing to decide';
        const args = move.isEdited ? { edited: true } : undefined;
        await this.#t.decide({ status: move.status, args, step: question.step, runId: question.runId });
        return `decided ${question.step}`;
      }
      case 'cancel': {
        const unfinished = this.#runs.filter(({ status }) => !['succeeded', 'failed', 'cancelled'].includes(status));
        const run = unfinished[move.pick % Math.max(1, unfinished.length)];
        await this.#t.cancel(run?.id ?? 'none');
        return run === undefined ? 'nothing to cancel' : 'cancelled';
      }
    }
  }

  tell(): WorldTold {
    const ids = this.#runs.map(({ id }) => id);
    const all = this.#runs;
    const events = all.flatMap((run) =>
      run.emitted.map(({ id, name, data }) => ({ id, by: ids.indexOf(run.id), name, data })),
    );
    return {
      runs: all.map((run) => withoutIds(this.#tellRun(run, ids), ids)),
      // In the order of their ids, as the events of all runs went out.
      events: events.sort((a, b) => numberIn(a.id) - numberIn(b.id)).map(({ id: _id, ...event }) => event),
      webhooks: all.flatMap(({ webhooks }) => webhooks).length,
      scores: all.flatMap(({ scores }) => scores).length,
    };
  }

  #tellRun(run: TestedRun, ids: readonly string[]): RunTold {
    const inMs = (at: string | undefined): number | undefined =>
      at === undefined ? undefined : Date.parse(at) - this.#startMs;
    const { parentRunId, onFailureOf, createdAt, endedAt, triggerKind } = run;
    return {
      ...{ workflow: run.workflow, status: run.status, attempt: run.attempt, triggerKind },
      ...{ eventName: run.event.name, input: run.event.data },
      ...{ tags: Object.keys(run.tags).length === 0 ? undefined : run.tags, session: run.session },
      parent: parentRunId === undefined ? undefined : ids.indexOf(parentRunId),
      parentStep: run.parentStep,
      onFailureOf: onFailureOf === undefined ? undefined : ids.indexOf(onFailureOf),
      result: run.status === 'succeeded' ? run.result : undefined,
      error: told(run.error),
      createdInMs: inMs(createdAt) ?? 0,
      endedInMs: inMs(endedAt),
      steps: run.steps.map(({ startedAt: _start, durationMs: _duration, error, ...row }) => ({
        ...row,
        error: told(error),
        runAfter: inMs(row.runAfter),
        nextAttemptAt: inMs(row.nextAttemptAt),
        endedAt: inMs(row.endedAt),
      })),
      logs: run.logs.map(({ ts: _ts, seq: _seq, ...line }) => line),
      approvals: run.approvals.map(({ id: _id, runId: _run, ...rest }) => rest),
    };
  }
}

const numberIn = (id: string): number => Number(/\d+/.exec(id)?.[0]);
