import { newId } from '../../src/engine/ids.ts';
import { createSource } from '../../src/engine/webhooks/config/index.ts';
import { insertAttempt, insertDelivery, insertEndpoint } from '../engine/webhooks/deliveries/scene.ts';
import { insertFrame, insertRun, insertStep, insertWorkflows } from '../schema/fixtures.ts';
import type { McpServer } from './mcpServer.ts';

/** One of everything, as large as it can be. */
export interface Stuffed {
  /** Arguments for each tool that reads, by its name. */
  calls: Record<string, Record<string, unknown>>;
  /** Arguments for each tool that writes, in an order in which all can be called. */
  writes: Record<string, Record<string, unknown>>;
  runId: string;
  eventId: string;
  approvalId: string;
  /** The stored text of the run's input. */
  input: string;
}

const repeated = (length: number, text: string): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** A payload that is large in all ways, and holds numbers that a double cannot. */
const largePayload = (size: number): string =>
  `{"n":12345678901234567890,"huge":1e400,"zero":-0,"text":${JSON.stringify(repeated(size, sample))},"list":[${Array.from({ length: 500 }, (_, at) => `{"at":${at}}`)}],` +
  `"deep":${'['.repeat(60)}1${']'.repeat(60)},"__proto__":{"x":1},${Array.from({ length: 300 }, (_, at) => `"key ${at}":"v"`)}, "a/b~c" : { "d": ${JSON.stringify(repeated(3000, sample))} } }`;

const sample = 'a “long” text\n\u200b';

/**
 * Fills the project of a server. `planted` stands in each text that a stranger can fill, in place
 * of a large one.
 */
export async function stuff(
  { engine, projectId }: Pick<McpServer, 'engine' | 'projectId'>,
  planted?: string,
): Promise<Stuffed> {
  const { prisma } = engine.db;
  const name = (letter: string): string => (planted === undefined ? letter.repeat(256) : `${letter} ${planted}`);
  const long = (length: number, text = sample): string => planted ?? repeated(length, text);
  const payloadOf = (size: number): string =>
    planted === undefined ? largePayload(size) : JSON.stringify({ text: planted, [planted]: [planted] });
  const input = payloadOf(200_000);
  const eventId = newId();
  const tags = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key.${at}`, name('t')]));
  await prisma.app.create({ data: { projectId, name: name('a') } });
  await insertWorkflows(engine, projectId, [{ app: name('a'), name: name('w') }]);
  await prisma.workflow.updateMany({
    where: { projectId },
    data: { steps: Array.from({ length: 1000 }, (_, at) => ({ name: `${at} ${name('s')}`, description: long(2000) })) },
  });
  await engine.db.query({
    text: `insert into runner (id, project_id, app, runner_id, transport, url, workflows, connection_id)
           values ($1, $2, $3, $4, 'http', $5, $6, $1)`,
    values: [newId(), projectId, name('a'), `https://${name('r')}/`, `https://${'u'.repeat(2000)}/`, [name('w')]],
  });
  await engine.db.query({
    text: `insert into event (id, project_id, app, name, data, tags, session, source, triggered, woke_runs)
           values ($1, $2, $3, $4, $5::json, $6::jsonb, $7, 'api', $8::json, $9)`,
    values: [
      eventId,
      projectId,
      name('a'),
      name('e'),
      input,
      JSON.stringify(tags),
      name('s'),
      JSON.stringify(Array.from({ length: 300 }, () => ({ workflow: name('w'), app: name('a'), runId: newId() }))),
      Array.from({ length: 300 }, () => newId()),
    ],
  });
  const error = JSON.stringify({ name: 'Error', message: long(20_000, 'it broke\n'), stack: long(50_000) });
  const base = { app: name('a'), workflow: name('w'), session: name('s'), tags, input, eventId };
  const runId = await insertRun(engine, projectId, { ...base, status: 'failed', error });
  await insertRun(engine, projectId, { ...base, status: 'succeeded', result: input });
  for (let index = 0; index < 3; index += 1) {
    const payloads = { input, output: input, ai: input };
    await insertStep(engine, runId, { index, name: `${index} ${name('s')}`, ...payloads });
    await insertStep(engine, runId, { index, attempt: 2, name: `${index} ${name('s')}`, status: 'failed', error });
  }
  for (let seq = 1; seq <= 30; seq += 1) {
    const line = { level: 'error', message: long(20_000), scope: name('s'), attempt: 1 };
    const payload = `${JSON.stringify(line).slice(0, -1)},"fields":${payloadOf(5_000)}}`;
    await insertFrame(engine, runId, { seq, kind: 'log', payload });
  }
  const approvalId = newId();
  await prisma.approval.create({
    data: {
      id: approvalId,
      projectId,
      runId,
      stepIndex: 0,
      step: name('s'),
      tool: name('t'),
      args: JSON.parse(input),
      risk: name('r'),
      summary: long(50_000),
      context: long(50_000),
      escalatesTo: name('e'),
      onTimeout: 'reject',
      status: 'pending',
    },
  });
  const endpointId = await insertEndpoint(engine, projectId, {
    name: name('n'),
    app: name('a'),
    url: `https://x.test/${'u'.repeat(2000)}`,
  });
  const deliveryId = await insertDelivery(engine, projectId, {
    app: name('a'),
    endpointId,
    eventKind: 'custom',
    payload: input,
    runId,
  });
  for (let attempt = 1; attempt <= 20; attempt += 1) await insertAttempt(engine, deliveryId, { attempt });
  const { source } = await createSource(engine, { projectId, actor: undefined, eventName: 'e', app: 'a' });
  await prisma.webhookSource.update({ where: { id: source.id }, data: { eventName: name('e'), app: name('a') } });
  const sourceDeliveryId = newId();
  await prisma.webhookSourceDelivery.create({
    data: {
      id: sourceDeliveryId,
      projectId,
      sourceId: source.id,
      status: 'ingested',
      requestHeaders: { 'x-long': long(5_000) },
      body: Buffer.from(input),
    },
  });
  await prisma.controlAction.create({
    data: { id: newId(), projectId, action: 'cancel', runId, actor: name('k'), detail: JSON.parse(input) },
  });
  return {
    runId,
    eventId,
    approvalId,
    input,
    writes: {
      pause_run: { id: runId },
      resume_run: { id: runId },
      cancel_run: { id: runId },
      replay_run: { id: runId, dedupeId: 'replay' },
      retry_run_from_step: { id: runId, step: 0, dedupeId: 'retry' },
      trigger_workflow: { app: name('a'), name: name('w'), dedupeId: 'trigger' },
      send_event: { name: 'e', dedupeId: 'send' },
      decide_approval: { id: approvalId, status: 'approved' },
      bulk_replay_runs: {},
      bulk_cancel_runs: {},
      create_webhook_endpoint: { url: 'https://y.test/', eventKinds: ['custom'], dedupeId: 'endpoint' },
      create_webhook_source: { eventName: 'e', dedupeId: 'source' },
      redeliver_webhook: { id: deliveryId, dedupeId: 'redeliver' },
      replay_source_delivery: { id: sourceDeliveryId, dedupeId: 'source delivery' },
      update_webhook_endpoint: { id: endpointId, enabled: true },
      update_webhook_source: { id: source.id, enabled: true },
      delete_webhook_endpoint: { id: endpointId },
      delete_webhook_source: { id: source.id },
    },
    calls: {
      list_runs: {},
      get_run: { id: runId },
      list_run_steps: { id: runId, include: ['input', 'output', 'ai'] },
      list_run_logs: { id: runId },
      get_run_stats: {},
      wait_for_run: { id: runId },
      diagnose_run: { id: runId },
      read_payload: { runId, path: '/input' },
      list_workflows: {},
      get_flow_state: {},
      list_runners: {},
      list_events: {},
      get_event: { id: eventId },
      list_approvals: {},
      get_approval: { id: approvalId },
      get_run_timeseries: {},
      get_ai_spend: {},
      list_sessions: {},
      list_control_actions: {},
      list_apps: {},
      search_docs: { query: 'retry' },
      read_doc: { page: 'readme' },
      list_webhook_endpoints: {},
      get_webhook_endpoint: { id: endpointId },
      get_webhook_endpoint_stats: {},
      list_webhook_sources: {},
      get_webhook_source: { id: source.id },
      list_webhook_deliveries: {},
      get_webhook_delivery: { id: deliveryId },
      list_webhook_source_deliveries: {},
      get_webhook_source_delivery: { id: sourceDeliveryId },
    },
  };
}
