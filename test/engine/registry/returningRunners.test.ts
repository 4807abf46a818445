import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { registerDispatcher, retireDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { strayConnections } from '../../../src/engine/routing/index.ts';
import { disconnectRunners, type RunnerConnection, registerRunner } from '../../../src/engine/runners/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene, type Scene, shop } from './scene.ts';

const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
const test = useEngine({ clock });
let scene: Scene;

beforeEach(async () => {
  scene = await openScene(test);
});

const connection = async (): Promise<RunnerConnection> => ({
  dispatcherId: await registerDispatcher(test.engine),
  connectionId: newId(),
});

const hello = (connection: RunnerConnection, extra: object = {}) =>
  registerRunner(test.engine, { projectId: scene.projectId, registration: shop(extra), connection });

const comeBack = (connection: RunnerConnection, extra: object = {}) =>
  registerRunner(test.engine, { projectId: scene.projectId, registration: shop(extra), connection, isReturn: true });

const strayed = ({ connectionId }: RunnerConnection) =>
  strayConnections(test.engine, [{ connectionId, projectId: scene.projectId, app: 'shop', runnerId: 'r1' }]);

describe('a runner whose dispatcher comes back', () => {
  it('is left to the connection that it has made elsewhere meanwhile, and nobody is told of news', async () => {
    const [old, fresh] = [await connection(), await connection()];
    await hello(old);
    await hello(fresh, { region: 'eu' });
    const before = [await scene.runners(), await scene.version()];
    const dispatcherId = await registerDispatcher(test.engine);
    expect(await comeBack({ ...old, dispatcherId })).toMatchObject({ isEntered: false, replaced: undefined });
    expect([await scene.runners(), await scene.version()]).toEqual(before);
    expect(await comeBack(fresh)).toMatchObject({ isEntered: true });
  });

  it('is left to the URL that it has registered meanwhile', async () => {
    const old = await connection();
    await hello(old);
    await scene.register();
    expect(await comeBack(old)).toMatchObject({ isEntered: false });
    expect(await scene.runners()).toMatchObject([{ transport: 'http', dispatcherId: null }]);
  });

  it('is entered under the new id where nobody else has it', async () => {
    const old = await connection();
    await hello(old);
    const again = { ...old, dispatcherId: await registerDispatcher(test.engine) };
    expect(await comeBack(again)).toMatchObject({ isEntered: true });
    expect(await scene.runners()).toMatchObject([again]);
    await disconnectRunners(test.engine, [old.connectionId]);
    expect(await comeBack(again)).toMatchObject({ isEntered: true });
    expect(await scene.runners()).toMatchObject([{ ...again, connected: true }]);
  });

  it('is entered where the connection that took its place is gone, with its dispatcher', async () => {
    const [old, fresh] = [await connection(), await connection()];
    await hello(old);
    await retireDispatcher(test.engine, fresh.dispatcherId);
    // Written late, by a dispatcher that was found dead.
    await hello(fresh);
    expect(await strayed(old)).toEqual({ replaced: new Set(), forgotten: new Set([old.connectionId]) });
    expect(await comeBack(old)).toMatchObject({ isEntered: true });
    expect(await scene.runners()).toMatchObject([old]);
  });

  it('gives way to each hello, that of an earlier connection as well', async () => {
    const [old, fresh] = [await connection(), await connection()];
    await hello(old);
    expect(await hello(fresh)).toMatchObject({ isEntered: true, replaced: old });
    expect(await strayed(old)).toEqual({ replaced: new Set([old.connectionId]), forgotten: new Set() });
    expect(await hello(old)).toMatchObject({ isEntered: true, replaced: fresh });
  });

  it('is told apart from others that come at the same instant', async () => {
    const [old, fresh, other] = [await connection(), await connection(), await connection()];
    await hello(old);
    const answers = await Promise.all([
      hello(fresh),
      comeBack(old),
      comeBack(other, { runner: 'r2' }),
      hello(other, { runner: 'r3' }),
    ]);
    expect(answers.map(({ isEntered }) => isEntered)).toEqual([true, false, true, true]);
    expect((await scene.runners()).map(({ connectionId }) => connectionId)).toEqual(
      [fresh, other, other].map(({ connectionId }) => connectionId),
    );
  });
});
