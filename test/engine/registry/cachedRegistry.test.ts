import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { Bus } from '../../../src/engine/bus.ts';
import type { Queryable } from '../../../src/engine/db/statement.ts';
import { type ParsedEvent, parseEvent } from '../../../src/engine/events/eventInput.ts';
import { incomingEvent, matchTriggers } from '../../../src/engine/events/matchTriggers.ts';
import { newId } from '../../../src/engine/ids.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import type { Registry } from '../../../src/engine/model/index.ts';
import { createRegistry } from '../../../src/engine/registry/index.ts';
import { defaultEngineSettings, type EngineSettings } from '../../../src/engine/settings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const log = pino({ level: 'silent' });

interface Watched {
  registry: Registry;
  bus: Bus;
  loads: () => number;
}

function watch(settings: Partial<EngineSettings> = {}, capacity?: number): Watched {
  let loads = 0;
  const query = (...args: Parameters<Queryable['query']>): unknown => {
    loads++;
    return Reflect.apply(test.db.query, test.db, args);
  };
  const bus = new Bus();
  const db = { query } as Queryable;
  const registry = createRegistry({ db, bus, settings: { ...defaultEngineSettings, ...settings }, capacity });
  return { registry, bus, loads: () => loads };
}

async function createProject(): Promise<string> {
  const id = newId();
  await test.db.query('insert into project (id, name, concurrency_ceiling) values ($1, $2, 7)', [id, id]);
  return id;
}

async function define(projectId: string, app: string, name: string, triggers?: unknown[]): Promise<void> {
  await test.db.query(
    `insert into workflow (id, project_id, app, name, version, max_attempts, backoff, initial_delay_ms, max_delay_ms, on_failure, triggers)
     values ($1, $2, $3, $4, 'v1', 3, 'linear', 10, 20, true, $5)`,
    [newId(), projectId, app, name, triggers ? JSON.stringify(triggers) : null],
  );
  await test.db.query('update project set registry_version = registry_version + 1 where id = $1', [projectId]);
}

const event = (name: string, data?: object): ParsedEvent =>
  parseEvent({ name, ...(data && { data: RawJson.of(data) }) });

async function matches(projectId: string, given: ParsedEvent, targetApp?: string): Promise<string[]> {
  const engine = createEngine({ db: test.db, log });
  const snapshot = await engine.registry.snapshot(projectId);
  const matched = await matchTriggers(engine, snapshot, { ...incomingEvent(engine, given), targetApp });
  return matched.map((each) => `${each.app}/${each.name}`);
}

describe('matching an event to workflows', () => {
  it('uses exact names, wildcards at the end, and the names of workflows without triggers', async () => {
    const projectId = await createProject();
    await define(projectId, 'b', 'exact', [{ event: 'order/created' }]);
    await define(projectId, 'b', 'wild', [{ event: 'order/*' }]);
    await define(projectId, 'a', 'all', [{ event: '*' }]);
    await define(projectId, 'a', 'order/created');
    await define(projectId, 'a', 'cron only', [{ cron: '* * * * *' }]);
    await define(projectId, 'c', 'twice', [{ event: 'order/created' }, { event: 'order/c*' }]);
    expect(await matches(projectId, event('order/created'))).toEqual([
      'a/all',
      'a/order/created',
      'b/exact',
      'b/wild',
      'c/twice',
    ]);
    expect(await matches(projectId, event('order/created'), 'b')).toEqual(['b/exact', 'b/wild']);
    expect(await matches(projectId, event('order/'))).toEqual(['a/all', 'b/wild']);
    expect(await matches(projectId, event('orders'))).toEqual(['a/all']);
    expect(await matches(projectId, event('order/created'), 'nowhere')).toEqual([]);
  });

  it('applies guards; one of several triggers suffices', async () => {
    const projectId = await createProject();
    await define(projectId, 'a', 'guarded', [
      { event: 'n', if: 'data.kind == "x"' },
      { event: 'n', if: 'event.data.size > 3' },
    ]);
    await define(projectId, 'a', 'broken', [{ event: 'n', if: 'data.((' }]);
    expect(await matches(projectId, event('n', { kind: 'x' }))).toEqual(['a/guarded']);
    expect(await matches(projectId, event('n', { size: 4 }))).toEqual(['a/guarded']);
    expect(await matches(projectId, event('n', { kind: 'y', size: 1 }))).toEqual([]);
    expect(await matches(projectId, event('n'))).toEqual([]);
  });

  it('lists the workflows that an event of a name may start, regardless of guards', async () => {
    const projectId = await createProject();
    await define(projectId, 'a', 'implicit');
    await define(projectId, 'b', 'wild', [{ event: 'x.*', if: 'false' }]);
    const snapshot = await watch().registry.snapshot(projectId);
    const listeners = (name: string) =>
      [...snapshot.listeners(name)].map(({ definition: { app, name } }) => `${app}/${name}`);
    expect(listeners('implicit')).toEqual(['a/implicit']);
    expect(listeners('x.y')).toEqual(['b/wild']);
    expect(listeners('x')).toEqual([]);
  });
});

describe('a snapshot', () => {
  it('holds the limits, definitions and runners of one version', async () => {
    const projectId = await createProject();
    await define(projectId, 'a', 'w', [{ event: 'e' }]);
    await test.db.query(
      `insert into runner (id, project_id, app, runner_id, transport, url, workflows, connection_id, last_seen_at)
       values ($1, $2, 'a', 'r', 'http', 'http://x', '{w}', $1, '2026-01-02T03:04:05.678Z')`,
      [newId(), projectId],
    );
    const snapshot = await watch().registry.snapshot(projectId);
    expect(snapshot).toMatchObject({ projectId, version: 2n, suspended: false, concurrencyCeiling: 7 });
    expect(snapshot.workflow('a', 'w')).toEqual({
      app: 'a',
      name: 'w',
      version: 'v1',
      retry: { maxAttempts: 3, backoff: 'linear', initialDelayMs: 10, maxDelayMs: 20 },
      onFailure: true,
      triggers: [{ event: 'e' }],
      flowControl: undefined,
      steps: undefined,
      isRetired: false,
    });
    expect(snapshot.workflow('b', 'w')).toBeUndefined();
    expect(snapshot.runners).toEqual([
      {
        app: 'a',
        runnerId: 'r',
        transport: 'http',
        connected: true,
        workflows: new Set(['w']),
        lastSeenAt: new Date('2026-01-02T03:04:05.678Z'),
      },
    ]);
  });

  it('of an unknown project throws notFound', async () => {
    await expect(watch().registry.snapshot(newId())).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('is loaded once for concurrent callers, and again after a change', async () => {
    const projectId = await createProject();
    const { registry, bus, loads } = watch();
    const [first, second] = await Promise.all([registry.snapshot(projectId), registry.snapshot(projectId)]);
    expect(second).toBe(first);
    expect(await registry.snapshot(projectId)).toBe(first);
    expect(loads()).toBe(1);

    await define(projectId, 'a', 'new');
    bus.emit('registry.changed', { projectId });
    const changed = await registry.snapshot(projectId);
    expect(changed.version).toBe(first.version + 1n);
    expect(changed.workflow('a', 'new')).toBeDefined();
    expect(first.workflow('a', 'new')).toBeUndefined();
    expect(loads()).toBe(2);
  });

  it('keeps its definitions if only runners were seen again', async () => {
    const projectId = await createProject();
    await define(projectId, 'a', 'w');
    const { registry } = watch();
    const first = await registry.snapshot(projectId);
    registry.invalidate(projectId);
    const second = await registry.snapshot(projectId);
    expect(second).not.toBe(first);
    expect(second.workflow('a', 'w')).toBe(first.workflow('a', 'w'));
  });

  it('that was being read during the announcement of a change is dropped', async () => {
    const projectId = await createProject();
    const { registry, loads } = watch();
    const early = registry.snapshot(projectId);
    registry.invalidate(projectId);
    await Promise.all([early, registry.snapshot(projectId)]);
    await registry.snapshot(projectId);
    expect(loads()).toBe(2);
  });

  it('is read again once a heartbeat has passed', async () => {
    const projectId = await createProject();
    const { registry, loads } = watch({ runnerHeartbeatMs: 0 });
    await registry.snapshot(projectId);
    await registry.snapshot(projectId);
    expect(loads()).toBe(2);
  });

  it('is read again for callers that need a younger one, one read for all of them', async () => {
    const projectId = await createProject();
    const { registry, loads } = watch();
    const first = await registry.snapshot(projectId);
    const young = () => registry.snapshot(projectId, performance.now());
    const early = young();
    await new Promise((resolve) => setImmediate(resolve));
    const late = Array.from({ length: 50 }, young);
    expect((await early).readAtMs).toBeGreaterThan(first.readAtMs);
    expect(new Set(await Promise.all(late)).size).toBe(1);
    expect(loads()).toBe(3);
    expect(await registry.snapshot(projectId)).toBe(await late.at(-1));
    expect(loads()).toBe(3);
  });

  it('is dropped if more projects are in use than the cache holds', async () => {
    const projects = await Promise.all([createProject(), createProject(), createProject()]);
    const { registry, loads } = watch({}, 2);
    for (const projectId of projects) await registry.snapshot(projectId);
    await registry.snapshot(projects[2] ?? '');
    expect(loads()).toBe(3);
    await registry.snapshot(projects[0] ?? '');
    expect(loads()).toBe(4);
  });

  it('that could not be read is read again', async () => {
    const projectId = newId();
    const { registry } = watch();
    await expect(registry.snapshot(projectId)).rejects.toThrow();
    await test.db.query('insert into project (id, name) values ($1, $2)', [projectId, projectId]);
    await expect(registry.snapshot(projectId)).resolves.toMatchObject({ projectId });
  });
});
