import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../src/engine/admission/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { createApiKey } from '../../src/engine/keys/index.ts';
import { keyRing } from '../../src/engine/keys/keyRing.ts';
import { frameHub } from '../../src/engine/timeline/frameHub.ts';
import { signed } from '../engine/approvals/scene.ts';
import { recordStatements } from '../schema/fixtures.ts';
import { complete, type Script, ScriptedDispatcher } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { type McpServer, startMcp } from './mcpServer.ts';

let mcp: McpServer;
beforeAll(async () => {
  mcp = await startMcp();
  await registerWorkflows(mcp.engine, mcp.projectId, [{ name: 'flow' }]);
});
afterAll(() => mcp.close());

async function start(): Promise<string> {
  const { runId } = await triggerWorkflow(mcp.engine, {
    projectId: mcp.projectId,
    app: 'default',
    name: 'flow',
    input: {},
  });
  if (!runId) throw new Error('no run was started');
  return runId;
}
const dispatch = async (script: Script) => (await new ScriptedDispatcher(mcp.engine, script).start()).runOnce();

/** Resolves when so many waits follow runs. */
function followed({ engine }: Pick<McpServer, 'engine'> = mcp, count = 1): Promise<void> {
  const hub = frameHub(engine);
  const follow = hub.follow.bind(hub);
  let left = count;
  return new Promise((resolve) => {
    hub.follow = (...given) => {
      left -= 1;
      if (left === 0) {
        hub.follow = follow;
        resolve();
      }
      return follow(...given);
    };
  });
}

/**
 * Statements that read a run fail as by a database that goes, once each: the second look of a wait,
 * and the read of its answer. `hasBegun` resolves after the first look.
 */
function losingReads(): { hasBegun: Promise<void>; lost: () => number } {
  const { pool } = mcp.engine.db;
  const query = pool.query.bind(pool);
  let [looks, lost] = [0, 0];
  let begin: () => void = () => undefined;
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const read = (...args: Parameters<typeof query>): unknown => {
    const [{ name = '' }] = args as unknown as [{ name?: string }];
    const isLook = name === 'findRunStatus';
    if (isLook) looks += 1;
    if (isLook && looks === 1) return Promise.resolve(query(...args)).finally(begin);
    const isLost = lost === 0 ? isLook : lost === 1 && !isLook && name !== 'findMovedRuns';
    if (!isLost) return query(...args);
    lost += 1;
    if (lost === 2) Object.assign(pool, { query });
    return Promise.reject(Object.assign(new Error('the database system is shutting down'), { code: '57P01' }));
  };
  Object.assign(pool, { query: read });
  return { hasBegun, lost: () => lost };
}

describe('wait_for_run', () => {
  it('answers once the run has ended', async () => {
    const id = await start();
    const follows = followed();
    const waiting = mcp.tool('wait_for_run', { id });
    await follows;
    await dispatch(() => complete('done'));
    const { content, structuredContent } = await waiting;
    expect(structuredContent).toMatchObject({ id, status: 'succeeded', result: 'done' });
    expect(content[0].text).toBe('The run has ended: succeeded.');
    expect((await mcp.tool('wait_for_run', { id })).structuredContent).toMatchObject({ status: 'succeeded' });
  });

  it('answers when the run needs a decision, also one that another process recorded', async () => {
    const [here, there] = [await start(), await start()];
    const waiting = mcp.tool('wait_for_run', { id: here });
    await dispatch(signed());
    expect(await waiting).toMatchObject({ structuredContent: { status: 'needs_attention' } });
    await mcp.engine.db.query(`update run set status = 'waiting' where id = $1`, [there]);
    const follows = followed();
    const other = mcp.tool('wait_for_run', { id: there });
    await follows;
    await mcp.engine.db.query(`update run set status = 'needs_attention' where id = $1`, [there]);
    await frameHub(mcp.engine).runOnce();
    expect((await other).content[0].text).toBe('The run needs a decision: list_approvals with its runId shows it.');
  });

  it('answers the present state when the time is up, without an error', async () => {
    const id = await start();
    const answer = await mcp.tool('wait_for_run', { id, timeoutMs: 1 });
    expect(answer).not.toHaveProperty('isError');
    expect(answer.structuredContent).toMatchObject({ id, status: 'queued' });
  });

  it('refuses a wait that is too long, and runs that are not there, at once', async () => {
    const error = 'timeoutMs must be an integer from 1 to 55000';
    for (const timeoutMs of [0, 55_001, 1.5, '9'])
      expect(await mcp.tool('wait_for_run', { id: newId(), timeoutMs })).toMatchObject({
        structuredContent: { error },
      });
    for (const id of [newId(), 'nothing'])
      expect(await mcp.tool('wait_for_run', { id })).toMatchObject({ structuredContent: { error: 'run not found' } });
  });

  it('tells progress where a token was sent', async () => {
    const id = await start();
    const answer = await fetch(mcp.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'wait_for_run',
        authorization: `Bearer ${mcp.keys.secret}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'wait_for_run',
          arguments: { id, timeoutMs: 1 },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
            progressToken: 7,
          },
        },
      }),
    });
    expect(await answer.text()).toContain(
      '"method":"notifications/progress","params":{"progressToken":7,"progress":0,"message":"waited 0 s of 1 s"',
    );
  });

  it('ends with its caller, and leaves nothing behind', async () => {
    const id = await start();
    const { watch } = keyRing(mcp.engine);
    const leaver = new AbortController();
    const follows = followed();
    const waiting = fetch(mcp.url, {
      method: 'POST',
      signal: leaver.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        authorization: `Bearer ${mcp.keys.public}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'wait_for_run', arguments: { id } },
      }),
    });
    await follows;
    expect(watch.size).toBeGreaterThan(0);
    leaver.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => watch.size).toBe(0);
    expect(await frameHub(mcp.engine).runOnce()).toBe(0);
  });

  it('ends with its key, also if another process revoked it', async () => {
    const owner = { projectId: mcp.projectId, name: 'short', kind: 'public' } as const;
    const { token: key, apiKey } = await createApiKey(mcp.engine, owner);
    const follows = followed();
    const waiting = mcp.tool('wait_for_run', { id: await start() }, { key });
    await follows;
    await mcp.engine.db.query('update api_key set revoked_at = now() where id = $1', [apiKey.id]);
    const { watch } = keyRing(mcp.engine);
    await expect.poll(() => watch.size).toBeGreaterThan(0);
    expect(await watch.runOnce()).toBe(1);
    const outcome = await waiting.catch((error: unknown) => error);
    if (!(outcome instanceof Error))
      expect(outcome).toMatchObject({ isError: true, structuredContent: { error: 'the API key has ended' } });
    expect(watch.size).toBe(0);
  });

  it('goes on over a loss of the database: of its look, and of its last read', async () => {
    const id = await start();
    const { hasBegun, lost } = losingReads();
    const waiting = mcp.tool('wait_for_run', { id, timeoutMs: 20_000 });
    await hasBegun;
    await mcp.engine.db.query(`update run set status = 'cancelled', ended_at = now() where id = $1`, [id]);
    await mcp.engine.db.query('delete from run_work where run_id = $1', [id]);
    await frameHub(mcp.engine).runOnce();
    await expect.poll(lost).toBe(1);
    await frameHub(mcp.engine).runOnce();
    expect(await waiting).toMatchObject({ structuredContent: { id, status: 'cancelled' } });
    expect(lost()).toBe(2);
  });

  it('costs one statement a second, however many wait', async () => {
    const ids = [];
    for (let n = 0; n < 20; n += 1) ids.push(await start());
    const hub = frameHub(mcp.engine);
    const follow = followed(mcp, ids.length);
    const waits = ids.map((id) => mcp.tool('wait_for_run', { id }));
    await follow;
    const recording = recordStatements(mcp.engine);
    await hub.runOnce();
    // The poll, and perhaps the last looks with which waits begin.
    expect(recording.statements.length).toBeLessThan(5);
    await mcp.engine.db.query(`update run set status = 'failed', ended_at = now() where id = any($1)`, [ids]);
    await mcp.engine.db.query('delete from run_work where run_id = any($1)', [ids]);
    for (const each of await Promise.all(waits)) expect(each.structuredContent.status).toBe('failed');
  });
});

describe('a service that stops', () => {
  it('answers the present state to those that wait', async () => {
    const stopping = await startMcp();
    await registerWorkflows(stopping.engine, stopping.projectId, [{ name: 'flow' }]);
    const { runId: id } = await triggerWorkflow(stopping.engine, {
      projectId: stopping.projectId,
      app: 'default',
      name: 'flow',
      input: {},
    });
    const follows = followed(stopping);
    const waiting = stopping.tool('wait_for_run', { id });
    await follows;
    stopping.engine.bus.emit('service.stopping', {});
    expect((await waiting).structuredContent).toMatchObject({ id, status: 'queued' });
    await stopping.close();
  });
});
