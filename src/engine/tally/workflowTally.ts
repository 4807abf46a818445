import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { Distribution } from './distribution.ts';

export const endStatuses = ['succeeded', 'failed', 'cancelled'] as const;
export type EndStatus = (typeof endStatuses)[number];

/** How an attempt of a step ends. `retried`: another attempt follows. */
export const stepResults = ['succeeded', 'failed', 'skipped', 'retried'] as const;
export type StepResult = (typeof stepResults)[number];

/** The gates that withhold a start, and `dedupeId`, which withholds a repeat. */
export const withholdingGates = ['singleton', 'rateLimit', 'debounce', 'batch', 'idempotency', 'dedupeId'] as const;
export type WithholdingGate = (typeof withholdingGates)[number];

/** Bounds of waits, in seconds. */
export const waitBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
/** Bounds of durations of runs, in seconds: up to a week. */
export const durationBounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1_800, 3_600, 21_600, 86_400, 604_800];

/** What this process has seen of the runs of a workflow, since it started. */
export class WorkflowTally {
  /** Runs that were recorded. */
  started = 0;
  readonly ended = zeros(endStatuses);
  /** From the first pass of an ended run to its end, in seconds. */
  readonly duration = new Distribution(durationBounds);
  /** From the instant at which a run is due to its first claim, in seconds. */
  readonly wait = new Distribution(waitBounds);
  readonly steps = zeros(stepResults);
  readonly withheld = zeros(withholdingGates);

  add(other: WorkflowTally): void {
    this.started += other.started;
    for (const status of endStatuses) this.ended[status] += other.ended[status];
    for (const result of stepResults) this.steps[result] += other.steps[result];
    for (const gate of withholdingGates) this.withheld[gate] += other.withheld[gate];
    this.duration.add(other.duration);
    this.wait.add(other.wait);
  }
}

/** A counter for each word of a list. */
export const zeros = <Word extends string>(words: readonly Word[]): Record<Word, number> =>
  Object.fromEntries(words.map((word) => [word, 0])) as Record<Word, number>;

export interface WorkflowRef {
  projectId: string;
  app: string;
  workflow: string;
}

export interface NamedTally {
  app: string;
  workflow: string;
  tally: WorkflowTally;
}

/** Workflows with a tally of their own. Runners choose the names, so their number is bounded. */
export const maxWorkflows = 500;
export const otherName = 'other';

/** The tallies of workflows, one for each of the first 500, and one for all others. */
export class WorkflowTallies {
  readonly #byProject = new Map<string, Map<string, Map<string, WorkflowTally>>>();
  readonly #others = new WorkflowTally();
  #size = 0;

  of({ projectId, app, workflow }: WorkflowRef): WorkflowTally {
    return this.#byProject.get(projectId)?.get(app)?.get(workflow) ?? this.#add(projectId, app, workflow);
  }

  /**
   * The tallies by app and workflow, summed over projects. With a project, only its names are
   * shown; the workflows of other projects count as `other`.
   */
  shownTo(projectId: string | undefined): NamedTally[] {
    const shown = new Map<string, NamedTally>();
    const add = (app: string, workflow: string, tally: WorkflowTally): void => {
      const key = JSON.stringify([app, workflow]);
      const entry = shown.get(key) ?? { app, workflow, tally: new WorkflowTally() };
      shown.set(key, entry);
      entry.tally.add(tally);
    };
    for (const [owner, apps] of this.#byProject)
      for (const [app, workflows] of apps)
        for (const [workflow, tally] of workflows) {
          const isShown = projectId === undefined || owner === projectId;
          add(isShown ? app : otherName, isShown ? workflow : otherName, tally);
        }
    add(otherName, otherName, this.#others);
    return [...shown.values()];
  }

  #add(projectId: string, app: string, workflow: string): WorkflowTally {
    if (this.#size === maxWorkflows) return this.#others;
    this.#size += 1;
    const tally = new WorkflowTally();
    entryOf(entryOf(this.#byProject, projectId), app).set(workflow, tally);
    return tally;
  }
}

function entryOf<Value>(map: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const entry = map.get(key) ?? new Map<string, Value>();
  map.set(key, entry);
  return entry;
}

export const workflowTallies = perEngine(() => new WorkflowTallies());

/** The tally of a run's workflow. Callers count what has been committed. */
export const tallyOfWorkflow = (ctx: EngineContext, run: WorkflowRef): WorkflowTally => workflowTallies(ctx).of(run);
