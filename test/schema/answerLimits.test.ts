import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { PayloadRoom } from '../../src/engine/payloadRoom.ts';
import type { EngineLimits } from '../../src/engine/settings.ts';
import { createSchemaContext, executeWithin, prepare, schema, subscribeTo } from '../../src/schema/index.ts';
import { AnswerMeter } from '../../src/schema/loaders/answerMeter.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { contextOf, insertFrame, insertRun, query, secretKey } from './fixtures.ts';

const test = useEngine();
let projectId: string;
let parent: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  const input = JSON.stringify('x'.repeat(1000));
  parent = await insertRun(test.engine, projectId, { input });
  for (let n = 0; n < 20; n++) await insertRun(test.engine, projectId, { parentRunId: parent, input });
});

function limited(limits: Partial<EngineLimits>): EngineContext {
  const { settings } = test.engine;
  return { ...test.engine, settings: { ...settings, limits: { ...settings.limits, ...limits } } };
}

const ask = (limits: Partial<EngineLimits>, document: string) => query(limited(limits), secretKey(projectId), document);

/** 20 runs, the parent of each, and so on: as many objects as that, level by level. */
const relatives = (levels: number, leaf: string): string =>
  levels === 0 ? leaf : `children { parent { ${relatives(levels - 1, leaf)} } }`;

describe('an answer', () => {
  it('holds so many objects and no more, however small its document', async () => {
    // The run, 20 children, 20 times their parent.
    const document = `{ run(id: "${parent}") { ${relatives(1, 'id')} } }`;
    await expect(ask({ answerMaxObjects: 41 }, document)).resolves.toBeDefined();
    await expect(ask({ answerMaxObjects: 40 }, document)).rejects.toMatchObject({
      kind: 'invalid',
      message: 'the answer holds more than 40 objects: ask for fewer at once',
    });
  });

  it('that is refused is nothing but the refusal', async () => {
    const engine = limited({ answerMaxObjects: 500 });
    const context = contextOf(engine, secretKey(projectId));
    const { document } = prepare(`{ run(id: "${parent}") { ${relatives(3, 'id')} } }`);
    const { data, errors } = await executeWithin(context, { schema, document, contextValue: context });
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ message: 'the answer holds more than 500 objects: ask for fewer at once' }]);
  });

  it('holds so much text and no more, a payload counted each time that it is written out', async () => {
    const document = `{ run(id: "${parent}") { ${relatives(1, 'input')} } }`;
    await expect(ask({ answerMaxBytes: 20 * 1002 }, document)).resolves.toBeDefined();
    await expect(ask({ answerMaxBytes: 20 * 1002 - 1 }, document)).rejects.toMatchObject({
      kind: 'invalid',
      message: 'the answer holds more than 20039 bytes of payloads: ask for fewer at once',
    });
  });

  it('of REST is not measured in objects: its documents are our own, and its pages bounded', async () => {
    const engine = limited({ answerMaxObjects: 1 });
    const context = createSchemaContext({ engine, principal: secretKey(projectId), via: 'rest' });
    const { document } = prepare(`{ run(id: "${parent}") { children { id } } }`);
    expect(await executeWithin(context, { schema, document, contextValue: context })).not.toHaveProperty('errors');
  });

  it('that takes long lets others have their turn', async () => {
    const meter = new AnswerMeter({ maxObjects: 1, maxBytes: 1, room: test.engine.payloadRoom, reservedBytes: 0 });
    const turns: string[] = [];
    setImmediate(() => turns.push('another'));
    const fields = Array.from({ length: 500 }, () => meter.turn());
    expect(fields.filter((wait) => wait === undefined)).toHaveLength(200);
    const told = [fields[200]?.then(() => turns.push('its second')), fields[400]?.then(() => turns.push('its third'))];
    await told[0];
    setImmediate(() => turns.push('another'));
    await Promise.all(told);
    expect(turns.slice(0, 2)).toEqual(['another', 'its second']);
    expect(turns.indexOf('its third')).toBeGreaterThan(1);
  });
});

describe('the memory of an operation', () => {
  const open = (): { room: PayloadRoom; meter: AnswerMeter } => {
    const room = new PayloadRoom({ maxBytes: 100, waitMs: 60_000 });
    return { room, meter: new AnswerMeter({ maxObjects: 1, maxBytes: 1_000, room, reservedBytes: 50 }) };
  };

  it('M2: is reserved once; at the end it is what was loaded, and nothing once that was sent', async () => {
    const { room, meter } = open();
    await meter.makeRoom(10);
    expect(room.heldBytes).toBe(50);
    await Promise.all([meter.makeRoom(20), meter.makeRoom(50)]);
    expect(room.heldBytes).toBe(80);
    meter.finish();
    expect(room.heldBytes).toBe(80);
    meter.release();
    expect(room.heldBytes).toBe(0);
  });

  it('M2: shrinks to what was loaded, and is not taken again after it was given back', async () => {
    const { room, meter } = open();
    await meter.makeRoom(10);
    meter.finish();
    expect(room.heldBytes).toBe(10);
    await expect(meter.makeRoom(10)).rejects.toMatchObject({ kind: 'busy' });
    meter.release();
    meter.finish();
    expect(room.heldBytes).toBe(0);
  });

  it('M2: is only what was loaded while a field waits for something else', async () => {
    const { room, meter } = open();
    await meter.makeRoom(10);
    let end = (): void => undefined;
    const waited = meter.whileIdle(() => new Promise<void>((resolve) => (end = resolve)));
    expect(room.heldBytes).toBe(10);
    await meter.makeRoom(5);
    expect(room.heldBytes).toBe(15);
    end();
    await waited;
    expect(room.heldBytes).toBe(50);
  });

  it('M2: is waited for once by parts that ask together', async () => {
    const { room, meter } = open();
    const other = room.enterNow(100);
    const parts = [meter.makeRoom(60), meter.makeRoom(60)];
    other.resize(0);
    await Promise.all(parts);
    expect(room.heldBytes).toBe(120);
  });

  it.each(['finish', 'release'] as const)('M2: is given back if it comes after %s', async (end) => {
    const { room, meter } = open();
    const other = room.enterNow(100);
    const late = meter.makeRoom(10);
    other.resize(0);
    meter[end]();
    await expect(late).rejects.toMatchObject({ kind: 'busy' });
    expect(room.heldBytes).toBe(0);
  });
});

describe('the refusal of an answer to mutations', () => {
  it('tells which of them were carried out, and that none after them was', async () => {
    const document = `mutation {
      first: sendEvent(input: { name: "first" }) { woke }
      second: sendEvent(input: { name: "second" }) { event { id } }
      third: sendEvent(input: { name: "third" }) { woke } }`;
    await expect(ask({ answerMaxObjects: 2 }, document)).rejects.toMatchObject({
      kind: 'invalid',
      message:
        'the answer holds more than 2 objects: ask for fewer at once; carried out all the same: first, second, and nothing after',
    });
    const { events } = await ask({}, '{ events { nodes { name } } }');
    expect(events).toEqual({ nodes: [{ name: 'second' }, { name: 'first' }] });
  });

  it('waits for the one that is under way', async () => {
    const meter = new AnswerMeter({ maxObjects: 1, maxBytes: 1, room: test.engine.payloadRoom, reservedBytes: 0 });
    const told: string[] = [];
    const abandoned = meter.abandoned().then(() => told.push('abandoned'));
    const mutation = meter.carryOut('slow', async () => {
      await new Promise(setImmediate);
      told.push('carried out');
    });
    meter.count(2);
    await Promise.all([mutation, abandoned]);
    expect(told).toEqual(['carried out', 'abandoned']);
    expect(meter.refusal?.message).toContain('carried out all the same: slow');
  });
});

describe('an event of a subscription', () => {
  it('is measured by itself', async () => {
    const id = await insertRun(test.engine, projectId, { status: 'succeeded' });
    for (const seq of [1, 2, 3])
      await insertFrame(test.engine, id, { seq, kind: 'run_status', payload: '{"status":"queued"}' });
    const context = contextOf(limited({ answerMaxObjects: 1 }), secretKey(projectId));
    const document = prepare('subscription ($id: ID!) { runFrames(runId: $id) { seq } }');
    const seqs: unknown[] = [];
    for await (const { data, errors } of await subscribeTo(document, { id }, context)) {
      expect(errors).toBeUndefined();
      seqs.push(data);
    }
    expect(seqs).toHaveLength(3);
  });
  it('is forgotten, with all that was read for it, when the next is asked for', async () => {
    const id = await insertRun(test.engine, projectId);
    await insertFrame(test.engine, id, { seq: 1, kind: 'run_status', payload: '{"status":"queued"}' });
    const context = contextOf(test.engine, secretKey(projectId));
    const results = await subscribeTo(
      prepare('subscription ($id: ID!) { runFrames(runId: $id) { seq } }'),
      { id },
      context,
    );
    await results.next();
    const { loaders } = context;
    const next = results.next();
    expect(context.loaders).not.toBe(loaders);
    await results.return?.();
    expect(await next).toMatchObject({ done: true });
  });
});
