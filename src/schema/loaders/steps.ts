import type DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import { readJournalsSoFar } from '../../engine/inference/index.ts';
import {
  beforeSteps,
  countRunSteps,
  type ListedStep,
  type StepPayloads,
  type StepPosition,
  type StepSpan,
  selectRunSteps,
  selectStepHeads,
  selectStepPayloads,
} from '../../engine/runs/index.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { groupBy, loadById, loadEach, perArguments, type RelatedKey } from './batch.ts';
import { HeadLoader } from './payloadHeads.ts';
import { PayloadLoader } from './payloadLoader.ts';

export type StepPayload = 'input' | 'output' | 'error' | 'ai';

/** The texts of a column, by `stepKey`. */
export type StepTexts = ReadonlyMap<string, string | null>;

export const stepKey = ({ index, attempt }: StepPosition): string => `${index}.${attempt}`;

/** A span with the names of its steps. */
interface LoadedSpan extends StepSpan {
  names: readonly string[];
}

/** A step with its span: payloads are read for a whole span at once. */
export interface LoadedStep extends ListedStep {
  span: LoadedSpan;
}

/** Some steps of a run. */
export interface StepFilter {
  name?: string | undefined;
  index?: number | undefined;
}

export interface StepsKey extends RelatedKey, StepFilter {
  after: StepPosition;
}

/** A step of a run. */
type StepRef = StepPosition & { runId: string };

export interface StepLoaders {
  stepCount: DataLoader<string, number | undefined>;
  /** All steps, by run. */
  steps: DataLoader<string, LoadedStep[] | undefined>;
  /** Up to `limit` steps of a run after a position. */
  stepsAfter: DataLoader<StepsKey, LoadedStep[] | undefined, string>;
  stepPayloads: PayloadLoader<LoadedSpan, StepPayload, StepPayloads, StepTexts>;
  stepHead: HeadLoader<StepRef, 'input' | 'output'>;
  /** The `ai` block so far of steps whose model call has not settled, as JSON text. */
  aiSoFar: DataLoader<ListedStep, string | undefined, string>;
}

/**
 * Loaders of steps. Steps carry no project: their run was loaded before, and is of this project.
 */
export const createStepLoaders = ({ db }: EngineContext, meter: AnswerMeter): StepLoaders => ({
  stepCount: loadById(async (runIds) => {
    return new Map((await countRunSteps(db, { runIds })).map((row) => [row.runId, row.steps]));
  }),
  steps: loadById(async (runIds) => withSpans(beforeSteps, await selectRunSteps(db, { runIds }))),
  stepsAfter: perArguments(
    ({ after, limit, name, index }) => `${stepKey(after)} ${limit} ${JSON.stringify([name, index])}`,
    async (runIds, { after, limit, name, index }) =>
      withSpans(after, await selectRunSteps(db, { runIds, after, limit, name, index })),
  ),
  stepPayloads: new PayloadLoader<LoadedSpan, StepPayload, StepPayloads, StepTexts>(meter, {
    columns: ['input', 'output', 'error', 'ai'],
    nameOf: spanName,
    rowNamesOf: ({ names }) => names,
    nameOfRow: stepName,
    fetch: (spans, wanted, maxBytes) => selectStepPayloads(db, { spans, ...wanted, maxBytes }),
    valuesOf: (rows, column, spans) => {
      const byRun = groupBy(rows, (row) => row.runId);
      return new Map(spans.map((span) => [spanName(span), textsOf(byRun.get(span.runId) ?? [], column)]));
    },
  }),
  stepHead: new HeadLoader(meter, stepName, (wanted) => selectStepHeads(db, { wanted })),
  aiSoFar: loadEach(async (steps) => {
    const journals = await readJournalsSoFar(db, steps);
    const texts = new Map<string, string>();
    for (const [n, step] of steps.entries()) {
      const text = journals[n];
      if (text === undefined) continue;
      meter.load(Buffer.byteLength(text));
      texts.set(stepName(step), text);
    }
    return texts;
  }, stepName),
});

/** The name of a step among those of all runs. */
export const stepName = (step: StepRef): string => `${step.runId} ${stepKey(step)}`;

const spanName = ({ runId, after, upTo }: StepSpan): string => `${runId} ${stepKey(after)} ${stepKey(upTo)}`;

/** The span of steps that follow each other, from a position on. */
export const spanOf = (after: StepPosition, first: ListedStep, steps: readonly ListedStep[]): LoadedSpan => ({
  runId: first.runId,
  after,
  upTo: steps.at(-1) ?? first,
  names: steps.map(stepName),
});

function withSpans(after: StepPosition, rows: readonly ListedStep[]): Map<string, LoadedStep[]> {
  const lists = new Map<string, LoadedStep[]>();
  for (const [runId, of] of groupBy(rows, (row) => row.runId)) {
    const span = of[0] && spanOf(after, of[0], of);
    lists.set(runId, span ? of.map((row) => ({ ...row, span })) : []);
  }
  return lists;
}

const textsOf = (rows: readonly StepPayloads[], column: StepPayload): StepTexts =>
  new Map(rows.map((row) => [stepKey(row), row[column]]));
