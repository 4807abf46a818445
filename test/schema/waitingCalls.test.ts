import { beforeEach, describe, expect, it } from 'vitest';
import { cancelRun } from '../../src/engine/control/index.ts';
import {
  again,
  answered,
  asking,
  ended,
  failed,
  held,
  InferenceScene,
  infer,
  refused,
  sceneClock,
  unknown,
} from '../engine/inference/scene.ts';
import { useEngine } from '../support/engine.ts';
import { complete, memoOf, steps } from '../support/scriptedRunner.ts';
import { insertRun, insertStep, query, type Recording, recordStatements, secretKey } from './fixtures.ts';

const clock = sceneClock();
const test = useEngine({ clock });
let recording: Recording;

beforeEach(() => {
  recording = recordStatements(test.engine);
});

const document = 'query ($id: ID!) { run(id: $id) { steps { name attempt status input ai } } }';

async function stepsOf(projectId: string, id: string): Promise<Record<string, unknown>[]> {
  recording.clear();
  const { run } = await query(recording.engine, secretKey(projectId), document, { id });
  return (run as { steps: Record<string, unknown>[] }).steps;
}

describe('a step that waits for a model', () => {
  it('shows provider and model before anything was sent, and never the prompt', async () => {
    const scene = await InferenceScene.open(test, asking(['ask'], { prompt: 'a-secret-word' }));
    const runId = await scene.start();
    const shown = await stepsOf(scene.projectId, runId);
    expect(shown).toEqual([
      {
        name: 'ask',
        attempt: 1,
        status: 'WAITING',
        input: { model: 'opus', offloaded: true },
        ai: { provider: 'anthropic', model: 'opus', sends: [] },
      },
    ]);
    expect(JSON.stringify(shown)).not.toContain('a-secret-word');
  });

  it('shows its sends with their outcomes, and the one under way without', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    await scene.execute(await scene.claimOne(), unknown({ tokensIn: 30 }), again);
    clock.advance(1000);
    await scene.execute(await scene.claimOne(), refused(), held(1000));
    clock.advance(1000);
    await scene.sent(await scene.claimOne());
    const [step] = await stepsOf(scene.projectId, runId);
    expect(step?.['ai']).toEqual({
      provider: 'anthropic',
      model: 'opus',
      sends: [
        { number: 1, outcome: 'unknown', at: expect.any(String), ms: 0, tokensIn: 30, error: 'the stream was cut' },
        { number: 2, outcome: 'refused', at: expect.any(String), ms: 0, status: 529, error: 'overloaded' },
        { number: 3, at: clock.now().toISOString() },
      ],
    });
  });

  it('shows the last 20 sends at most', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    for (let n = 0; n < 22; n += 1) {
      await scene.execute(await scene.claimOne(), refused(), again);
      clock.advance(1000);
    }
    const [step] = await stepsOf(scene.projectId, runId);
    const sends = Array.from({ length: 20 }, (_, n) => expect.objectContaining({ number: n + 3 }));
    expect(step).toHaveProperty('ai.sends', sends);
  });

  it('shows the sends of each attempt apart', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']), { maxAttempts: 2 });
    const runId = await scene.start();
    await scene.execute(await scene.claimOne(), refused('bad gateway', 502), failed(true));
    clock.advance(2000);
    await scene.dispatcher.runOnce();
    const shown = await stepsOf(scene.projectId, runId);
    expect(shown).toMatchObject([
      { attempt: 1, status: 'FAILED', ai: { sends: [{ number: 1, status: 502 }] } },
      { attempt: 2, status: 'WAITING', ai: { provider: 'anthropic', model: 'opus', sends: [] } },
    ]);
  });

  it('shows what it is told when it settles, which takes the place of the rest', async () => {
    const scene = await InferenceScene.open(test, asking(['ask', 'other']));
    const runId = await scene.start();
    const { calls } = await scene.claim();
    const [first] = calls;
    if (!first) throw new Error('no call was claimed');
    const number = await scene.sent(first);
    await scene.settle(
      first,
      { kind: 'succeeded', output: '{}', ai: { finishReason: 'stop' } },
      ended(number, answered()),
    );
    expect(await stepsOf(scene.projectId, runId)).toMatchObject([
      { status: 'SUCCEEDED', ai: { sends: [{ outcome: 'answered' }], finishReason: 'stop' } },
      { status: 'WAITING', ai: { sends: [] } },
    ]);
  });

  it('costs one statement for all such steps, and steps that wait for something else cost none', async () => {
    const script = asking(['a', 'b', 'c']);
    const scene = await InferenceScene.open(test, script);
    const runId = await scene.start();
    const count = () => recording.statements.filter((text) => /readCallsSoFar|inference_send/.test(text)).length;
    expect(await stepsOf(scene.projectId, runId)).toHaveLength(3);
    expect(count()).toBe(1);
    const sleeping = await insertRun(test.engine, scene.projectId, { status: 'waiting' });
    await insertStep(test.engine, sleeping, { index: 0, status: 'waiting' });
    expect(await stepsOf(scene.projectId, sleeping)).toMatchObject([{ status: 'WAITING', ai: null }]);
    expect(count()).toBe(0);
  });
});

describe('a step that was cancelled while it waited for a model', () => {
  it('shows the sends that had ended before, and one that ends later', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const { projectId } = scene;
    const runId = await scene.start();
    await scene.execute(await scene.claimOne(), unknown({ tokensIn: 30 }), again);
    await cancelRun(test.engine, { projectId, runId, actor: 'k' });
    expect(await stepsOf(projectId, runId)).toMatchObject([
      { status: 'CANCELLED', ai: { model: 'opus', sends: [{ number: 1, outcome: 'unknown', tokensIn: 30 }] } },
    ]);
    const other = await scene.start();
    const call = await scene.claimOne();
    const number = await scene.sent(call);
    await cancelRun(test.engine, { projectId, runId: other, actor: 'k' });
    expect(await stepsOf(projectId, other)).toMatchObject([{ status: 'CANCELLED', ai: { sends: [{ number: 1 }] } }]);
    await scene.settle(call, again, ended(number, unknown()));
    expect(await stepsOf(projectId, other)).toMatchObject([{ ai: { sends: [{ number: 1, outcome: 'unknown' }] } }]);
  });

  it('shows nothing if nothing was sent', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    await cancelRun(test.engine, { projectId: scene.projectId, runId, actor: 'k' });
    expect(await stepsOf(scene.projectId, runId)).toMatchObject([{ status: 'CANCELLED', ai: null }]);
  });
});

it('the answer of a model with a step after it shows both', async () => {
  const scene = await InferenceScene.open(test, (request) => {
    if (memoOf(request, 'ask') === undefined) return steps([infer('ask')]);
    return complete('done');
  });
  const runId = await scene.start();
  await scene.answerAll();
  await scene.dispatcher.runOnce();
  expect(await stepsOf(scene.projectId, runId)).toMatchObject([{ status: 'SUCCEEDED', ai: { provider: 'anthropic' } }]);
});
