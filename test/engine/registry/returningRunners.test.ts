import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { registerDispatcher, retireDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import {
  disconnectRunners,
  nextConnectionNo,
  type RunnerConnection,
  registerRunner,
  strayConnections,
} from '../../../src/engine/runners/index.ts';
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
  connectionNo: await nextConnectionNo(test.engine),
});

/** A connection as it is stored. */
const row = ({ connectionNo, ...connection }: RunnerConnection) => ({
  ...connection,
  connectionNo: BigInt(connectionNo),
});

const hello = (connection: RunnerConnection, extra: object = {}) =>
  registerRunner(test.engine, { projectId: scene.projectId, registration: shop(extra), connection });

const comeBack = (connection: RunnerConnection, extra: object = {}) =>
  registerRunner(test.engine, {
    projectId: scene.projectId,
    registration: shop(extra),
    connection,
    keepsDefinitions: true,
  });

const strayed = (connection: RunnerConnection) =>
  strayConnections(test.engine, [{ ...connection, projectId: scene.projectId, app: 'shop', runnerId: 'r1' }]);

const none = { replaced: new Set(), forgotten: new Set() };

/** As an older build enters a connection: with no number of its own. */
const helloOfOldBuild = async (connectionNo?: null): Promise<string> => {
  const connectionId = newId();
  await test.db.prisma.runner.updateMany({
    where: { projectId: scene.projectId },
    data: { connectionId, connected: true, ...(connectionNo === null && { connectionNo }) },
  });
  return connectionId;
};

describe('a runner whose dispatcher returns', () => {
  it('keeps the connection that it has opened elsewhere meanwhile, and no change is announced', async () => {
    const [old, fresh] = [await connection(), await connection()];
    await hello(old);
    await hello(fresh, { region: 'eu' });
    const before = [await scene.runners(), await scene.version()];
    const dispatcherId = await registerDispatcher(test.engine);
    expect(await comeBack({ ...old, dispatcherId })).toMatchObject({ isEntered: false });
    expect([await scene.runners(), await scene.version()]).toEqual(before);
    expect(await comeBack(fresh)).toMatchObject({ isEntered: true });
  });

  it('keeps the URL that it has registered meanwhile', async () => {
    const old = await connection();
    await hello(old);
    await scene.register();
    expect(await comeBack(old)).toMatchObject({ isEntered: false });
    expect(await scene.runners()).toMatchObject([{ transport: 'http', dispatcherId: null }]);
  });

  it('is registered under the new id if no other dispatcher has it', async () => {
    const old = await connection();
    await hello(old);
    const again = { ...old, dispatcherId: await registerDispatcher(test.engine) };
    expect(await comeBack(again)).toMatchObject({ isEntered: true });
    expect(await scene.runners()).toMatchObject([row(again)]);
    await disconnectRunners(test.engine, [old.connectionId]);
    expect(await comeBack(again)).toMatchObject({ isEntered: true });
    expect(await scene.runners()).toMatchObject([{ ...row(again), connected: true }]);
  });

  it('W1: is registered if the newer connection has left, and differs from a replaced one', async () => {
    const [old, fresh] = [await connection(), await connection()];
    await hello(old);
    expect(await strayed(old)).toEqual(none);
    await hello(fresh);
    expect(await strayed(old)).toEqual({ ...none, replaced: new Set([old.connectionId]) });
    await retireDispatcher(test.engine, fresh.dispatcherId);
    expect(await strayed(old)).toEqual({ ...none, forgotten: new Set([old.connectionId]) });
    expect(await comeBack(old)).toMatchObject({ isEntered: true });
    expect(await scene.runners()).toMatchObject([row(old)]);
    expect(await strayed(old)).toEqual(none);
  });

  it('is replaced for good even by a newer connection of a dispatcher that died', async () => {
    const [old, fresh] = [await connection(), await connection()];
    await hello(old);
    await retireDispatcher(test.engine, fresh.dispatcherId);
    // Written late, by a dispatcher that was found dead.
    await hello(fresh);
    expect(await strayed(old)).toEqual({ ...none, replaced: new Set([old.connectionId]) });
    expect(await comeBack(old)).toMatchObject({ isEntered: false });
  });

  it('R5: is displaced only by a hello of a newer connection', async () => {
    const [old, fresh] = [await connection(), await connection()];
    await hello(old);
    expect(await hello(fresh)).toMatchObject({ isEntered: true });
    expect(await hello(old)).toMatchObject({ isEntered: false });
    expect(await scene.runners()).toMatchObject([row(fresh)]);
  });

  it('is neither closed nor displaces a connection of an older build', async () => {
    const [old, fresh] = [await connection(), await connection()];
    await hello(old);
    const held = await helloOfOldBuild();
    expect(await strayed(old)).toEqual({ ...none, forgotten: new Set([old.connectionId]) });
    expect(await comeBack(old)).toMatchObject({ isEntered: false });
    expect(await scene.runners()).toMatchObject([{ connectionId: held }]);
    await disconnectRunners(test.engine, [held]);
    expect(await comeBack(old)).toMatchObject({ isEntered: true });
    await helloOfOldBuild();
    expect(await hello(fresh)).toMatchObject({ isEntered: true });
  });

  it('displaces a connection without a number by its hello', async () => {
    await hello(await connection());
    await helloOfOldBuild(null);
    const fresh = await connection();
    expect(await hello(fresh)).toMatchObject({ isEntered: true });
    expect(await scene.runners()).toMatchObject([row(fresh)]);
  });

  it('is distinguished from others that connect at the same instant', async () => {
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
