import { newId } from '../../src/engine/ids.ts';
import { createSource } from '../../src/engine/webhooks/config/index.ts';
import { insertAttempt, insertDelivery, insertEndpoint } from '../engine/webhooks/deliveries/scene.ts';
import { insertFrame, insertRun, insertStep, insertWorkflows } from '../schema/fixtures.ts';
import type { McpServer } from './mcpServer.ts';

/** One of everything, as large as it can be. */
export interface Stuffed {
  /** Arguments for each tool that reads, by its name. */
  calls: Record<string, Record<string, unknown>>;
  runId: string;
  eventId: string;
  /** The stored text of the run's input. */
  input: string;
}

const long = (length: number, text = 'a “long” text\n\u200b'): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** A payload that is large in all ways, and holds numbers that a double cannot. */
export const largePayload = (size: number): string =>
  `{"n":12345678901234567890,"huge":1e400,"zero":-0,"text":${JSON.stringify(long(size))},"list":[${Array.from({ length: 500 }, (_, at) => `{"at":${at}}`)}],` +
  `"deep":${'['.repeat(60)}1${']'.repeat(60)},"__proto__":{"x":1},${Array.from({ length: 300 }, (_, at) => `"key ${at}":"v"`)}, "a/b~c" : { "d": ${JSON.stringify(long(3000))} } }`;

const name = (letter: string): string => letter.repeat(256);

/** Fills the project of a server. */
export async function stuff({
  engine,
  projectId,
}: Pick<McpServer, 'engine'> & { projectId: string }): Promise<Stuffed> {
  const { prisma } = engine.db;
  const input = largePayload(200_000);
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
    const payload = `${JSON.stringify(line).slice(0, -1)},"fields":${largePayload(5_000)}}`;
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
  const { source } = await createSource(engine, { projectId, actor: undefined, eventName: name('e'), app: name('a') });
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
    input,
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
