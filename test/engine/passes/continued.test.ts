import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { continueText, invokeText, type Pass, type Reply, settlePass } from '../../../src/engine/passes/index.ts';
import { createTestEngine, createTestProject, type OwnedEngine } from '../../support/engine.ts';
import { idOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

let test: OwnedEngine;
let projectId: string;
let pass: Pass;

beforeAll(async () => {
  test = await createTestEngine();
});
afterAll(() => test.close());

const register = (extra: object = {}) =>
  registerWorkflows(test.engine, projectId, [{ name: 'order', retry: { maxAttempts: 2 }, ...extra }]);

beforeEach(async () => {
  projectId = await createTestProject(test.engine);
  await register();
  await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'order', input: {} });
  const dispatcher = await new ScriptedDispatcher(test.engine, () => steps([])).start();
  const [claimed] = await dispatcher.claim();
  if (!claimed) throw new Error('nothing was claimed');
  pass = claimed;
  invokeText(pass);
});

const held = (reply: Reply): Reply => (reply.kind === 'answer' ? { ...reply, isHeld: true } : reply);
const settle = (reply: Reply) => settlePass(test.engine, pass, reply);
const a = { op: 'StepRun', name: 'a', data: { of: 'a' } } as const;
const b = { op: 'StepRun', name: 'b', data: { of: 'b' } } as const;
const fails = { op: 'StepRun', name: 'b', error: { message: 'no' } } as const;
const sleep = { op: 'Sleep', name: 'nap', sleepMs: 60_000 } as const;

const continued = () => {
  const text = continueText(pass);
  return text === undefined ? undefined : JSON.parse(`{${text}}`);
};
const request = (): InvokeRequest => JSON.parse(invokeText(pass));

it('H4: a continuation names each step that is new once, the runner’s own results by `ok`', async () => {
  expect(await settle(held(steps([a, sleep, { op: 'Score', name: 'good', data: { name: 'good', value: 1 } }])))).toBe(
    'again',
  );
  const first = continued();
  expect(first).toEqual({
    steps: {
      [idOf('a')]: { ok: true },
      [idOf('good')]: { data: { scoreId: expect.any(String) } },
      [idOf('nap')]: { pending: true },
    },
  });
  expect(await settle(held(steps([b])))).toBe('again');
  expect(continued()).toEqual({ steps: { [idOf('b')]: { ok: true } } });
  expect(Object.keys(request().steps)).toEqual(['a', 'good', 'b', 'nap'].map(idOf));
});

it('H4: a continuation has what changed while the runner executed', async () => {
  const wait = { op: 'WaitForEvent', name: 'wait', eventName: 'rain' } as const;
  await settle(held(steps([a, wait])));
  expect(continued()).toMatchObject({ steps: { [idOf('wait')]: { pending: true } } });
  await sendEvent(test.engine, { projectId, input: { name: 'rain', data: RawJson.of(1) } });
  await settle(held(steps([b])));
  const { steps: told } = continued();
  expect(told).toMatchObject({ [idOf('wait')]: { data: { name: 'rain' } }, [idOf('b')]: { ok: true } });
  expect(Object.keys(told)).toEqual(Object.keys(request().steps).filter((id) => id !== idOf('a')));
});

it('H4: nothing is continued without a held answer, nor twice by one', async () => {
  await settle(steps([a]));
  expect(continued()).toBeUndefined();
  invokeText(pass);
  await settle(held(steps([b])));
  expect(continued()).toBeDefined();
  expect(continued()).toBeUndefined();
});

it('H4: a step that is to be repeated is sent in full', async () => {
  await settle(held(steps([a, { ...fails, retryAfterMs: 0 }])));
  pass.dbNow = new Date(pass.dbNow.getTime() + 1_000);
  expect(continued()).toBeUndefined();
  expect(request().ctx.stepAttempts).toEqual({ [idOf('b')]: 2 });
});

it('H4: a definition that changed ends the continuation', async () => {
  await settle(held(steps([a])));
  expect(continued()).toBeDefined();
  await register({ retry: { maxAttempts: 5 } });
  await settle(held(steps([b])));
  expect(continued()).toBeUndefined();
  invokeText(pass);
  await settle(held(steps([{ ...a, name: 'c' }])));
  expect(continued()).toBeDefined();
});

it('a continuation tells the spend under a cap', async () => {
  await register({ cap: { maxTokens: 100 } });
  await settle(held(steps([a])));
  invokeText(pass);
  await settle(held(steps([{ ...b, usage: { tokensIn: 3, tokensOut: 4 } }])));
  expect(continued()).toMatchObject({ ai: { tokens: 7, maxTokens: 100 } });
});
