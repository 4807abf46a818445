import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/engine/clock.ts';
import { disconnectRunners, touchRunners } from '../../src/engine/runners/index.ts';
import { prepare, subscribeTo } from '../../src/schema/index.ts';
import { openScene, type Scene } from '../engine/registry/scene.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { contextOf, publicKey, query, recordStatements } from './fixtures.ts';

const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
const test = useEngine({ clock });
let scene: Scene;

beforeEach(async () => {
  scene = await openScene(test);
});

const fields = 'runnerId transport inFlight live registeredAt';

async function runners(engine = test.engine): Promise<unknown> {
  return (await query(engine, publicKey(scene.projectId), `{ runners { ${fields} } }`))['runners'];
}

async function connected(runner = 'r1'): Promise<string> {
  const { connection, registered } = await scene.connect({ runner });
  await registered;
  return connection.connectionId;
}

describe('a runner', () => {
  it('has its transport, its registration and the passes in flight when it was last heard', async () => {
    const registeredAt = clock.now().toISOString();
    const connection = await connected();
    const base = { runnerId: 'r1', transport: 'CONNECT', live: true, registeredAt };
    test.engine.registry.invalidate(scene.projectId);
    expect(await runners()).toEqual([{ ...base, inFlight: null }]);
    clock.advance(1000);
    await touchRunners(test.engine, [connection], new Map([[connection, 3]]));
    const { engine, statements } = recordStatements(test.engine);
    expect(await runners(engine)).toEqual([{ ...base, inFlight: 3 }]);
    expect(statements.filter((each) => /runner/.test(each))).toHaveLength(1);
    await disconnectRunners(test.engine, [connection]);
    expect(await runners()).toEqual([{ ...base, live: false, inFlight: null }]);
  });

  it('that is called by its URL has no number of passes', async () => {
    await scene.register({ workflows: [{ name: 'a' }] });
    expect(await runners()).toMatchObject([{ transport: 'HTTP', inFlight: null }]);
  });
});

describe('runnerChanged', () => {
  const document = prepare('subscription { runnerChanged { runnerId live inFlight } }');
  const open = async (project: string, engine = test.engine) => {
    const stream = await subscribeTo(document, {}, contextOf(engine, publicKey(project)));
    const next = async () => (await stream.next()).value?.data?.['runnerChanged'];
    return { next, close: () => stream.return?.() };
  };

  it('tells of runners of its project that come, execute and leave', async () => {
    await connected('r0');
    const stranger = await open(await createTestProject(test.engine));
    const own = await open(scene.projectId);
    const first = own.next();
    const connection = await connected('r1');
    expect(await first).toEqual({ runnerId: 'r1', live: true, inFlight: null });
    const left = own.next();
    await disconnectRunners(test.engine, [connection]);
    expect(await left).toEqual({ runnerId: 'r1', live: false, inFlight: null });
    await Promise.all([own.close(), stranger.close()]);
  });

  it('looks at the runners once for many changes at once', async () => {
    const { engine, statements } = recordStatements(test.engine);
    const own = await open(scene.projectId, engine);
    const first = own.next();
    const before = statements.length;
    for (let change = 0; change < 100; change += 1) engine.bus.emit('registry.changed', { projectId: scene.projectId });
    await connected('r1');
    expect(await first).toMatchObject({ runnerId: 'r1' });
    const looks = statements.slice(before).filter((each) => /listRunnerStates/.test(each));
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.length).toBeLessThan(10);
    await own.close();
  });
});
