import { logLevels } from '@holdfast/sdk/protocol';
import { type Frame, frameKinds } from '../../engine/bus.ts';
import { type JsonDocument, RawJson, readJson } from '../../engine/json/index.ts';
import { runStatuses, stepStatuses, toWait } from '../../engine/runs/index.ts';
import { checkPosition, tailRun } from '../../engine/timeline/index.ts';
import { builder } from '../machinery/builder.ts';
import { FrameKindEnum, FrameStatusEnum, LogLevelEnum } from '../machinery/enums.ts';
import { ErrorDetailType, toErrorDetail } from '../machinery/payload.ts';
import { StepType } from './runSteps.ts';
import { type PausedBy, PausedByType, WaitingForType } from './runs.ts';

/** A frame whose payload is parsed only if a document asks for one of its fields. */
class FrameView {
  readonly runId: string;
  readonly frame: Frame;
  #document: JsonDocument | undefined;

  constructor(runId: string, frame: Frame) {
    this.runId = runId;
    this.frame = frame;
  }

  get document(): JsonDocument {
    this.#document ??= readJson(this.frame.payload);
    return this.#document;
  }

  field(name: string): unknown {
    const { value } = this.document;
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }

  text(name: string): string | null {
    const value = this.field(name);
    return typeof value === 'string' ? value : null;
  }

  number(name: string): number | null {
    const value = this.field(name);
    return typeof value === 'number' ? value : null;
  }

  /** The value of a field if the list contains it. */
  oneOf<const Value extends string>(name: string, values: readonly Value[]): Value | null {
    const value = this.field(name);
    return values.find((each) => each === value) ?? null;
  }
}

/** The view of each frame that is being read: equal subscriptions share it. */
const views = new WeakMap<Frame, FrameView>();

function viewOf(runId: string, frame: Frame): FrameView {
  const view = views.get(frame) ?? new FrameView(runId, frame);
  views.set(frame, view);
  return view;
}

const frameStatuses = [...runStatuses, ...stepStatuses] as const;

const FrameType = builder.objectRef<FrameView>('RunFrame').implement({
  description: "An entry of a run's journal. `payload` has the fields of its kind; the fields of other kinds are null.",
  fields: (t) => ({
    seq: t.int({
      description: "The number of the frame: it counts the run's frames from 1, without gaps.",
      resolve: ({ frame }) => frame.seq,
    }),
    kind: t.field({ type: FrameKindEnum, resolve: ({ frame }) => frame.kind }),
    ts: t.field({ type: 'DateTime', resolve: ({ frame }) => frame.ts }),
    runId: t.exposeID('runId'),
    payload: t.field({ type: 'JSON', resolve: ({ frame }) => RawJson.trusted(frame.payload) }),
    status: t.field({
      type: FrameStatusEnum,
      nullable: true,
      resolve: (view) => view.oneOf('status', frameStatuses),
    }),
    pausedBy: t.field({ type: PausedByType, nullable: true, resolve: (view) => toPausedBy(view.field('pausedBy')) }),
    waitingFor: t.field({
      type: WaitingForType,
      nullable: true,
      description: 'Why the run waits, as far as its change of status knew.',
      resolve: (view) => toWait(view.field('waitingFor')) ?? null,
    }),
    error: t.field({ type: ErrorDetailType, nullable: true, resolve: (view) => toErrorDetail(view.field('error')) }),
    step: t.string({ nullable: true, resolve: (view) => view.text('step') }),
    index: t.int({ nullable: true, resolve: (view) => view.number('index') }),
    attempt: t.int({ nullable: true, resolve: (view) => view.number('attempt') }),
    runStep: t.field({
      type: StepType,
      nullable: true,
      description:
        'The attempt of the step as it is now, with its times and links. Null for other frames. Each frame that asks for it is a read.',
      resolve: async (view, _args, { loaders }) => {
        const [index, attempt] = [view.number('index'), view.number('attempt')];
        if (view.frame.kind !== 'step_status' || index === null || attempt === null) return null;
        const after = { index, attempt: attempt - 1 };
        const [step] = (await loaders.steps.stepsAfter.load({ runId: view.runId, after, index, limit: 1 })) ?? [];
        return step?.attempt === attempt ? step : null;
      },
    }),
    willRetry: t.boolean({ nullable: true, resolve: (view) => view.field('willRetry') === true || null }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: (view) => toDate(view.text('nextAttemptAt')),
    }),
    durationMs: t.float({ nullable: true, resolve: (view) => view.number('durationMs') }),
    level: t.field({ type: LogLevelEnum, nullable: true, resolve: (view) => view.oneOf('level', logLevels) }),
    message: t.string({ nullable: true, resolve: (view) => view.text('message') }),
    fields: t.field({ type: 'JSON', nullable: true, resolve: ({ document }) => document.raw('fields') ?? null }),
    scope: t.string({ nullable: true, resolve: (view) => view.text('scope') }),
  }),
});

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

function toPausedBy(value: unknown): PausedBy | null {
  if (typeof value !== 'object' || value === null) return null;
  const { reason, actor }: { reason?: unknown; actor?: unknown } = value;
  return { reason: reason === 'budget' ? 'budget' : 'manual', actor: typeof actor === 'string' ? actor : null };
}

builder.subscriptionField('runFrames', (t) =>
  t.field({
    type: FrameType,
    description: 'The frames of a run after `from`, then new ones. The subscription completes when the run has ended.',
    args: {
      runId: t.arg.id({ required: true }),
      from: t.arg.int(),
      kinds: t.arg({ type: [FrameKindEnum], description: 'Only frames of these kinds. Absent or empty: all.' }),
    },
    subscribe: async (_root, { runId, from, kinds }, { engine, projectId }) => {
      const position = { projectId, runId, from: from ?? undefined };
      // An error before the first frame can still be the answer.
      await checkPosition(engine, position);
      const wanted = new Set(kinds?.length ? kinds : frameKinds);
      return viewFrames(runId, wanted, tailRun(engine, position));
    },
    resolve: (view) => view,
  }),
);

/** Not a generator: a generator that waits for a frame cannot be stopped. */
const viewFrames = (
  runId: string,
  kinds: ReadonlySet<Frame['kind']>,
  frames: AsyncIterableIterator<Frame>,
): AsyncIterableIterator<FrameView> => ({
  next: async () => {
    for (;;) {
      const { done, value } = await frames.next();
      if (done) return { done: true, value: undefined };
      if (kinds.has(value.kind)) return { done: false, value: viewOf(runId, value) };
    }
  },
  return: async () => {
    await frames.return?.();
    return { done: true, value: undefined };
  },
  [Symbol.asyncIterator]() {
    return this;
  },
});
