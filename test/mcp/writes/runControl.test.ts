import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWrites, refused, type WriteScene } from './writeScene.ts';

let scene: WriteScene;
beforeAll(async () => {
  scene = await openWrites();
});
afterAll(() => scene.close());

const client = { name: 'a test', version: '1' };

describe('controls of runs at /mcp (4.6)', () => {
  it('cancels, pauses and resumes, and leaves the entries of REST with the client', async () => {
    const id = await scene.start('waits');
    expect(await scene.tool('pause_run', { id })).toMatchObject({
      structuredContent: { run: { id, status: 'paused' } },
    });
    expect(await scene.tool('resume_run', { id })).toMatchObject({ structuredContent: { run: { status: 'waiting' } } });
    expect(await scene.tool('cancel_run', { id })).toMatchObject({
      structuredContent: { run: { id, status: 'cancelled' } },
    });
    const entries = (await scene.audit()).filter(({ runId }) => runId === id);
    const detail = { via: 'mcp', client };
    expect(entries).toMatchObject([
      { action: 'pause', actor: 'a secret key', detail },
      { action: 'resume', actor: 'a secret key', detail },
      { action: 'cancel', actor: 'a secret key', detail },
    ]);
  });

  it('gives the reasons of REST', async () => {
    const id = await scene.start('twoSteps');
    expect(await scene.tool('cancel_run', { id })).toMatchObject(
      refused('run already in a terminal state', 'CONFLICT'),
    );
    expect(await scene.tool('resume_run', { id })).toMatchObject(refused('run already in a terminal state'));
    expect(await scene.tool('retry_run_from_step', { id, step: 'none' })).toMatchObject(refused('step not found'));
    expect(await scene.tool('replay_run', { id: 'none' })).toMatchObject(refused('run not found', 'NOT_FOUND'));
  });

  it('replays with another input, and retries from a step', async () => {
    const id = await scene.start('twoSteps');
    const replay = await scene.tool('replay_run', { id, input: { n: 12345678901234567890n.toString() } });
    expect(replay).toMatchObject({ structuredContent: { run: { replayOf: id, status: 'queued' } } });
    expect((await scene.run(replay.structuredContent.run.id)).input).toEqual({ n: '12345678901234567890' });
    const retry = await scene.tool('retry_run_from_step', { id, step: 'two' });
    const made = retry.structuredContent.run.id;
    const entry = (await scene.audit()).find(({ newRunId }) => newRunId === made);
    expect(entry).toMatchObject({ action: 'retry_from_step', detail: { step: 'two', via: 'mcp', client } });
  });

  it('cuts what a client says of itself to 64 characters each', async () => {
    const id = await scene.start('waits');
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: `${'n'.repeat(63)}😀more`, version: `\u0000${'v'.repeat(100)}` },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    await scene.tool('pause_run', { id }, { params: { _meta } });
    const [entry] = (await scene.audit()).filter(({ runId }) => runId === id);
    expect(entry).toMatchObject({
      detail: { client: { name: `${'n'.repeat(63)}\ufffd`, version: `\\u0000${'v'.repeat(58)}` } },
    });
  });
});

describe('starts at /mcp (4.2, 4.3)', () => {
  it('triggers, and drops a repeat as REST does', async () => {
    const given = { app: 'shop', name: 'twoSteps', input: { a: 1 }, dedupeId: 'start once' };
    const first = await scene.tool('trigger_workflow', given);
    const { runId } = first.structuredContent;
    expect((await scene.run(runId)).input).toEqual({ a: 1 });
    expect(await scene.tool('trigger_workflow', given)).toMatchObject({
      structuredContent: { deduped: true, existingRunId: runId },
    });
  });

  it('sends an event, and drops a repeat as REST does', async () => {
    const given = { name: 'asked', data: { a: 1 }, dedupeId: 'send once' };
    const first = await scene.tool('send_event', given);
    expect(first).toMatchObject({ structuredContent: { triggered: [{ workflow: 'pay' }] } });
    expect(await scene.tool('send_event', given)).toMatchObject({
      structuredContent: { deduped: true, existingRunId: first.structuredContent.runId },
    });
  });

  it('delays a start as REST does', async () => {
    const given = { app: 'shop', name: 'twoSteps', delayMs: 3_600_000, ttlMs: 1_000, dedupeId: 'later' };
    const { runId } = (await scene.tool('trigger_workflow', given)).structuredContent;
    const { status, startAt, expiresAt } = await scene.run(runId);
    expect(status).toBe('queued');
    expect(Number(expiresAt) - Number(startAt)).toBe(1_000);
  });

  it('gives the reasons of REST', async () => {
    expect(await scene.tool('trigger_workflow', { app: 'shop', name: 'none' })).toMatchObject(
      refused('workflow none is not registered in app shop', 'NOT_FOUND'),
    );
    expect(await scene.tool('trigger_workflow', { app: 'shop', name: 'no\u202ene' })).toMatchObject(
      refused('workflow no\\u202ene is not registered in app shop', 'NOT_FOUND'),
    );
    expect(await scene.tool('send_event', { name: ' ' })).toMatchObject(
      refused('name is required and must not be blank', 'BAD_USER_INPUT'),
    );
  });
});
