import type { InvokeRequest, WireWorkflow } from '@holdfast/sdk/protocol';
import { afterEach, beforeEach, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/engine/clock.ts';
import { defaultEngineSettings, type InferenceSettings } from '../../../src/engine/settings.ts';
import { type CallerOptions, ModelCaller } from '../../../src/workers/inference/index.ts';
import { type TestEngine, useEngine } from '../../support/engine.ts';
import { FakeProvider } from '../../support/models/fakeProvider.ts';
import { openScene } from '../../support/scene.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';

/** A step of a workflow that asks a model. */
export type Ask = { [field: string]: unknown };

export const ask = (fields: Ask = {}): Ask => ({ model: 'some-model', prompt: 'Say hello, please.', ...fields });

/** The steps that the input of a run asks for: they wait side by side. */
const infer = (request: InvokeRequest) => {
  const asks: Ask[] = JSON.parse(JSON.stringify(request.event.data)).asks;
  const names = asks.map((_, n) => `ask-${n}`);
  const open = names.flatMap((name, n) => (memoOf(request, name) ? [] : [{ op: 'Infer', name, data: asks[n] }]));
  if (open.length > 0) return steps(open as Parameters<typeof steps>[0]);
  return complete(names.map((name) => memoOf(request, name)));
};

type Scene = Awaited<ReturnType<typeof openScene>>;

export interface SiteOptions {
  inference?: Partial<InferenceSettings>;
  limits?: Partial<typeof defaultEngineSettings.limits>;
  clock?: Clock;
  workflow?: WireWorkflow;
}

/** A fake provider, a project whose workflow asks it, and callers. New for each test of a file. */
export function useSite({ inference, limits, clock = systemClock, workflow }: SiteOptions = {}) {
  const test = useEngine({
    clock,
    settings: {
      inference: { ...defaultEngineSettings.inference, ...inference },
      limits: { ...defaultEngineSettings.limits, ...limits },
    },
  });
  let fake: FakeProvider;
  let scene: Scene;
  beforeEach(async () => {
    fake = await FakeProvider.start();
    const providers = {
      anthropic: { apiKey: 'settings-key', baseUrl: fake.origin },
      openai: { apiKey: 'settings-key', baseUrl: fake.url },
    };
    test.engine.settings.inference = { ...test.engine.settings.inference, providers };
    await test.db.query(
      'truncate run, inference_call, inference_key, inference_lane, inference_send, inference_process, inference_cache, ai_usage, sealed_secret cascade',
    );
    scene = await openScene(test, infer, workflow);
  });
  afterEach(() => fake.close());
  return {
    test,
    get fake() {
      return fake;
    },
    get scene() {
      return scene;
    },
    /** A caller that takes turns only when it is told to, unless it is started. */
    caller(options: Partial<CallerOptions> = {}, engine: TestEngine['engine'] = test.engine) {
      const caller = new ModelCaller({ engine, options });
      onTestFinished(() => caller.stop());
      return caller;
    },
    /** Starts a run that asks, and lets its pass record the calls. */
    async asks(...asks: Ask[]): Promise<string> {
      const runId = await scene.start({ asks });
      await scene.dispatcher.runOnce();
      return runId;
    },
    /** The steps of a run, after its passes. */
    async steps(runId: string) {
      await scene.dispatcher.runOnce();
      return scene.stepRows(runId);
    },
    sends: (runId: string) =>
      test.db.prisma.inferenceSend.findMany({ where: { runId }, orderBy: [{ stepIndex: 'asc' }, { number: 'asc' }] }),
    calls: () => test.db.prisma.inferenceCall.findMany({ orderBy: [{ runId: 'asc' }, { stepIndex: 'asc' }] }),
    usage: (runId: string) =>
      test.db.prisma.aiUsage.findMany({ where: { runId }, orderBy: [{ stepIndex: 'asc' }, { send: 'asc' }] }),
  };
}

export type Site = ReturnType<typeof useSite>;
