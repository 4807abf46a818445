import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { newId } from '../../../src/engine/ids.ts';
import { readLaneStates, readRunLanes, setProviderKey } from '../../../src/engine/inference/index.ts';
import { keyIdSql, laneIdSql, settingsOwner } from '../../../src/engine/inference/sql/keySql.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { limitsWith } from '../../support/settings.ts';

const clock = new ManualClock(new Date('2026-03-01T10:00:00Z'));
const test = useEngine({ clock, settings: { limits: limitsWith({ inferenceConcurrency: 100 }) } });
let engine: EngineContext;
let projectId: string;

beforeAll(() => {
  engine = test.engine;
});
beforeEach(async () => {
  projectId = await createTestProject(engine);
});

interface Calls {
  owner?: string;
  of?: string;
  provider?: string;
  model?: string;
  count?: number;
  isLeased?: boolean;
  isPaused?: boolean;
  looksUp?: boolean;
}

/** Calls as the opcode and the claim leave them. */
async function insertCalls(calls: Calls): Promise<string[]> {
  const { owner = settingsOwner, of = projectId, provider = 'anthropic', model = 'small' } = calls;
  const { count = 1, isLeased = false, isPaused = false, looksUp = false } = calls;
  const { rows } = await engine.db.query({
    text: `insert into inference_call (run_id, step_index, attempt, project_id, key_id, lane_id, provider, model, request, request_bytes,
             looks_up, due_at, deadline_at, paused_at, idempotency_key, lease_id)
           select gen_random_uuid(), 0, 1, $2, ${keyIdSql('$1::text', '$3::text')}, ${laneIdSql('$1::text', '$3::text', '$4::text')}, $3, $4,
             '', 0, $5, now(), now(), case when $6::bool then now() end, gen_random_uuid(), case when $7::bool then gen_random_uuid() end
           from generate_series(1, $8::int) returning run_id`,
    values: [owner, of, provider, model, looksUp, isPaused, isLeased, count],
  });
  return rows.map(({ run_id: id }) => id);
}

/** A lane as holds leave it. */
const insertLane = (owner: string, lane: { model: string; heldUntil?: string; heldFor?: string; width?: number }) =>
  engine.db.query({
    text: `insert into inference_lane (id, key_id, project_id, provider, model, held_until, held_for, width)
           values (${laneIdSql('$1::text', `'anthropic'`, '$2::text')}, ${keyIdSql('$1::text', `'anthropic'`)}, null, 'anthropic', $2,
             $3::timestamptz, $4, $5)`,
    values: [owner, lane.model, lane.heldUntil, lane.heldFor, lane.width],
  });

const idle = { inFlight: 0, limit: 100, waiting: 0, heldUntil: null, heldFor: null };

describe('the lanes of a project', () => {
  it('are none without calls', async () => {
    expect(await readLaneStates(engine, projectId)).toEqual([]);
  });

  it('count calls that wait and that are in flight, per key, provider and model', async () => {
    await insertCalls({ count: 3 });
    await insertCalls({ count: 2, isLeased: true });
    await insertCalls({ count: 1, isPaused: true });
    await insertCalls({ count: 1, looksUp: true });
    await insertCalls({ owner: projectId, provider: 'openai', model: 'large', count: 2 });
    expect(await readLaneStates(engine, projectId)).toEqual([
      { ...idle, provider: 'anthropic', model: 'small', keyFrom: 'settings', inFlight: 2, waiting: 3 },
      { ...idle, provider: 'openai', model: 'large', keyFrom: 'project', waiting: 2 },
    ]);
  });

  it('show of a shared key what is in flight for all projects, and only the own calls as waiting', async () => {
    const another = await createTestProject(engine);
    await insertCalls({ model: 'shared', count: 1 });
    await insertCalls({ model: 'shared', of: another, count: 4 });
    await insertCalls({ model: 'shared', of: another, count: 5, isLeased: true });
    await insertCalls({ model: 'other', of: another, count: 1 });
    await insertCalls({ owner: another, of: another, model: 'own', count: 1 });
    expect(await readLaneStates(engine, projectId)).toEqual([
      { ...idle, provider: 'anthropic', model: 'shared', keyFrom: 'settings', inFlight: 5, waiting: 1 },
    ]);
  });

  it('tell until when and why the provider holds them, and how many calls they admit after that', async () => {
    await insertCalls({ model: 'held' });
    await insertLane(settingsOwner, {
      model: 'held',
      heldUntil: '2026-03-01T10:00:30Z',
      heldFor: 'status 529',
      width: 1,
    });
    await insertCalls({ model: 'opening' });
    await insertLane(settingsOwner, { model: 'opening', heldUntil: '2026-03-01T09:59:59Z', heldFor: '429', width: 4 });
    expect(await readLaneStates(engine, projectId)).toMatchObject([
      { model: 'held', limit: 1, heldUntil: new Date('2026-03-01T10:00:30Z'), heldFor: 'status 529' },
      { model: 'opening', limit: 4, heldUntil: null, heldFor: '429' },
    ]);
  });

  it('include a lane of an own key that says why calls failed, and no such lane of a shared key', async () => {
    await setProviderKey(engine, { projectId, provider: 'anthropic', apiKey: 'k' });
    await insertLane(projectId, { model: 'refused', heldFor: 'status 401: invalid key' });
    await insertLane(projectId, { model: 'quiet' });
    await insertLane(settingsOwner, { model: 'refused', heldFor: 'status 402' });
    expect(await readLaneStates(engine, projectId)).toEqual([
      { ...idle, provider: 'anthropic', model: 'refused', keyFrom: 'project', heldFor: 'status 401: invalid key' },
    ]);
  });

  it('are counted up to 1000, so that a long queue costs no more', async () => {
    await insertCalls({ model: 'long', count: 5_000 });
    await insertCalls({ model: 'short', count: 1 });
    const [longest, shortest] = await readLaneStates(engine, projectId);
    expect(longest).toMatchObject({ model: 'long', waiting: 1000 });
    expect(shortest).toMatchObject({ model: 'short', waiting: 1 });
  });
});

describe('the lane for which a run waits', () => {
  it('has the figures of the lane, for runs of the project with a call', async () => {
    const [runId = ''] = await insertCalls({ model: 'busy', count: 2 });
    const [strange = ''] = await insertCalls({ of: await createTestProject(engine), model: 'busy' });
    const lanes = await readRunLanes(engine, { projectId, runIds: [runId, strange, newId()] });
    expect([...lanes]).toEqual([
      [runId, { ...idle, provider: 'anthropic', model: 'busy', keyFrom: 'settings', waiting: 2 }],
    ]);
  });
});
