import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { routes } from '../../src/rest/index.ts';
import { openStream, type SseReader } from '../rest/sseReader.ts';
import { projectRoot } from '../support/build.ts';
import { FakeProvider } from '../support/models/fakeProvider.ts';
import { Receiver } from '../workers/webhooks/receiver.ts';
import { FlowSite, waitLimits } from './flowSite.ts';

/**
 * A word of a prompt, which only the handler and the provider know. It is as long as what the texts
 * of a provider may not repeat.
 */
const word = `quoll${randomBytes(12).toString('hex')}`;
let site: FlowSite;
let provider: FakeProvider;

beforeAll(async () => {
  provider = await FakeProvider.start();
  site = await FlowSite.open({
    env: {
      ...{ ANTHROPIC_BASE_URL: provider.origin, ANTHROPIC_API_KEY: 'k', LOG_LEVEL: 'trace' },
      ...{ ALLOW_PRIVATE_TARGETS: 'true' },
    },
  });
  site.hf.workflow({ id: 'secretive', retry: { maxAttempts: 1 } }, async ({ step }) => {
    const request = { model: 'm', system: `You know ${word}.`, prompt: `Tell me all about ${word}, please.` };
    const ask = (id: string, more: object = {}) =>
      step.ai.generate(id, { ...request, ...more }).catch(({ name }) => name);
    await Promise.all([ask('held'), ask('echoed'), ask('cached', { temperature: 0 })]);
    const { text } = await step.ai.generate('answered', { ...request, stop: [word] });
    await step.approval('checked', { tool: 'check', risk: 'low', summary: 'fine' });
    return text;
  });
  await site.connect(site.hf, 'r1');
}, 120_000);

afterAll(async () => {
  await site?.close();
  await provider?.close();
}, 30_000);

/** The ids that routes and fields ask for. */
type Ids = Record<'run' | 'event' | 'approval' | 'delivery' | 'endpoint' | 'source', string>;

const idOf = (ids: Ids, path: string): string => {
  if (path.startsWith('/runs')) return ids.run;
  if (path.startsWith('/events')) return ids.event;
  if (path.startsWith('/approvals')) return ids.approval;
  if (path.startsWith('/webhook-endpoints')) return ids.endpoint;
  return path.startsWith('/webhook-sources') ? ids.source : ids.delivery;
};

const isStream = (path: string): boolean => /\/stream$/.test(path);

/** All that REST shows. */
async function readRoutes(ids: Ids): Promise<Map<string, string>> {
  const { baseUrl, keys } = site.service();
  const shown = new Map<string, string>();
  for (const { method, path, scope } of routes) {
    if (method !== 'GET' || isStream(path) || path.includes('{token}') || path === '/connect') continue;
    const key = scope === 'watch' ? keys.operatorKey : keys.secretKey;
    const query = path === '/runs' ? `?q=${word.slice(0, 5)}&deep=1` : '';
    for (const each of new Set(['', query])) {
      const url = `${baseUrl}${path.replace('{id}', idOf(ids, path))}${each}`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      shown.set(`${path}${each}`, await response.text());
      expect([path, response.status]).toEqual([path, expect.toSatisfy((status) => status === 200 || status === 404)]);
    }
  }
  return shown;
}

const schema = buildSchema(readFileSync(join(projectRoot, 'schema.graphql'), 'utf8'));

const needsArguments = ({ args }: GraphQLField<unknown, unknown>): boolean =>
  args.some(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);

/** A selection of all that needs no arguments, so many levels deep. */
function selection(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isAbstractType(named)) {
    return `{ __typename ${schema
      .getPossibleTypes(named)
      .map((each) => `... on ${each.name} ${selection(each, depth)}`)
      .join(' ')} }`;
  }
  if (!isObjectType(named)) return '';
  const fields = fieldsOf(named).filter((field) => !needsArguments(field));
  const chosen = fields.flatMap((field) => {
    const below = getNamedType(field.type);
    if (!isCompositeType(below)) return [field.name];
    return depth > 0 ? [`${field.name} ${selection(field.type, depth - 1)}`] : [];
  });
  return `{ __typename ${chosen.join(' ')} }`;
}

/** As deep a selection as the ceiling of a document allows. */
function fittingSelection(type: GraphQLOutputType, depth: number): string {
  const text = selection(type, depth);
  const tokens = text.match(/\w+|[{}]|\.\.\./g)?.length ?? 0;
  return tokens < 4_500 || depth === 0 ? text : fittingSelection(type, depth - 1);
}

/** The same of an object in parts: each has one of the fields that lead on, as deep as fits. */
function selectionsOf(type: GraphQLOutputType, depth: number): string[] {
  const named = getNamedType(type);
  if (!isObjectType(named)) return [fittingSelection(type, depth)];
  const leading = fieldsOf(named).filter(
    (field) => !needsArguments(field) && isCompositeType(getNamedType(field.type)),
  );
  return [selection(type, 0), ...leading.map(({ name, type }) => `{ ${name} ${fittingSelection(type, depth - 1)} }`)];
}

interface Refused {
  extensions: { code: string };
}

const fieldsOf = (type: GraphQLObjectType): GraphQLField<unknown, unknown>[] => Object.values(type.getFields());

/** All that queries show: each field with all its fields. */
async function readQueries(ids: Ids): Promise<Map<string, string>> {
  const query = schema.getQueryType();
  if (!query) throw new Error('the schema has no queries');
  const idsOf: Record<string, string> = {
    ...{ run: ids.run, event: ids.event, approval: ids.approval, webhookEndpoint: ids.endpoint },
    ...{ webhookSource: ids.source, webhookDelivery: ids.delivery, webhookSourceDelivery: ids.delivery },
    node: ids.run,
    session: ids.run,
  };
  const inputsOf: Record<string, string> = {
    bulkCancelPreview: '(input: {status: ACTIVE})',
    bulkReplayPreview: '(input: {status: FAILED})',
    eventMatches: `(eventId: "${ids.event}")`,
    project: `(id: "${site.service().keys.projectId}")`,
    redeliverPreview: '(input: {statuses: [DEAD]})',
    runStatsBy: '(by: WORKFLOW)',
    simulateFlow: '(app: "flow", workflow: "secretive")',
    suggestions: '(kind: TAG_KEY)',
    workflow: '(app: "flow", name: "secretive")',
  };
  const run = schema.getType('Run');
  // Types that `node` finds name their fields alike, but with other types.
  const ofRun = (isObjectType(run) ? selectionsOf(run, 2) : []).map((part) => `{ id ... on Run ${part} }`);
  const shown = new Map<string, string>();
  for (const field of fieldsOf(query)) {
    const id = idsOf[field.name];
    const given = id === undefined ? (inputsOf[field.name] ?? '') : `(id: "${id}")`;
    if (given === '' && needsArguments(field)) throw new Error(`no arguments for ${field.name}`);
    const key = ['project', 'projects'].includes(field.name) ? site.service().keys.operatorKey : undefined;
    for (const part of field.name === 'node' ? ofRun : selectionsOf(field.type, 3)) {
      const text = `{ ${field.name}${given} ${part} }`;
      const { status, body } = await site.call('POST', '/graphql', { query: text }, key);
      const refused = (body.errors ?? []).filter(({ extensions }: Refused) => extensions.code !== 'FORBIDDEN');
      expect([text, status, refused]).toEqual([text, 200, []]);
      shown.set(field.name, `${shown.get(field.name) ?? ''}${JSON.stringify(body)}`);
    }
  }
  return shown;
}

/** Opens all streams and subscriptions, and keeps what they show. */
async function openStreams(ids: Pick<Ids, 'run'>) {
  const { baseUrl, keys } = site.service();
  const shown = new Map<string, string[]>();
  const authorization = `Bearer ${keys.secretKey}`;
  const readers: SseReader[] = [];
  for (const { path } of routes.filter((route) => isStream(route.path))) {
    const reader = await openStream(`${baseUrl}${path.replace('{id}', ids.run)}`, { authorization });
    const events: string[] = [];
    expect([path, reader.status]).toEqual([path, 200]);
    readers.push(reader);
    shown.set(path, events);
    void (async () => {
      for (let event = await reader.next(); event; event = await reader.next()) events.push(JSON.stringify(event));
    })().catch(() => undefined);
  }
  const url = `${baseUrl.replace('http', 'ws')}/graphql`;
  const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: { authorization } });
  const subscription = schema.getSubscriptionType();
  for (const field of subscription ? fieldsOf(subscription) : []) {
    const given = needsArguments(field) ? `(runId: "${ids.run}")` : '';
    const query = `subscription { ${field.name}${given} ${selection(field.type, 2)} }`;
    const events: string[] = [];
    shown.set(field.name, events);
    const sink = {
      error: (error: unknown) => void events.push(`failed: ${JSON.stringify(error)}`),
      complete: () => undefined,
    };
    client.subscribe({ query }, { next: (value) => void events.push(JSON.stringify(value)), ...sink });
  }
  return {
    shown,
    close: async () => {
      for (const reader of readers) reader.leave();
      await client.dispose();
    },
  };
}

const expectNowhere = (shown: ReadonlyMap<string, string | readonly string[]>): void => {
  const holding = [...shown].filter(([, text]) => [text].flat().some((each) => each.includes(word)));
  expect(holding.map(([name]) => name)).toEqual([]);
};

it('a word of a prompt stands in no route, query, stream, delivery or metric, and in no log at trace', async () => {
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const echo = { message: `bad: ${word}`, echo: true };
  const headers = { 'x-echo': word, 'request-id': word };
  provider.always(async () => {
    await held;
    return { text: 'Hello.' };
  });
  provider.answers(
    async () => {
      await held;
      return { refusal: { status: 400, ...echo }, headers };
    },
    async () => {
      await held;
      return { refusal: { status: 529, ...echo }, headers };
    },
  );
  const receiver = await Receiver.open();
  const kinds = ['run.succeeded', 'run.failed', 'step.succeeded', 'step.failed'];
  const { body: endpoint } = await site.call('POST', '/webhook-endpoints', { url: receiver.url, eventKinds: kinds });
  const { body: source } = await site.call('POST', '/webhook-sources', { eventName: 'x' });
  const { eventId } = await site.send('x');
  const { runId } = await site.trigger('secretive');
  const streams = await openStreams({ run: runId });
  await site.connect(site.hf, 'r2');
  await vi.waitFor(() => expect(provider.ledger.length).toBeGreaterThanOrEqual(3), waitLimits);
  const ids: Ids = {
    run: runId,
    event: eventId,
    approval: runId,
    delivery: runId,
    endpoint: endpoint.id,
    source: source.id,
  };
  expectNowhere(await readRoutes(ids));
  expectNowhere(await readQueries(ids));
  answer();
  await site.send('x');
  await site.until(runId, { status: 'needs_attention' });
  const [approval] = await site.hf.approvals.list({ runId });
  await site.hf.approvals.decide(approval?.id ?? '', { status: 'approved' });
  expect(await site.ended(runId)).toMatchObject({ status: 'succeeded', result: 'Hello.' });
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(5), waitLimits);
  const [delivery] = await site.get('/webhook-deliveries');
  const later = { ...ids, approval: approval?.id ?? '', delivery: delivery.id };
  const [read, queried] = [await readRoutes(later), await readQueries(later)];
  expectNowhere(read);
  expectNowhere(queried);
  expectNowhere(streams.shown);
  expectNowhere(new Map(receiver.received.map(({ body }, n) => [`delivery ${n}`, body])));
  const { output } = site.service();
  expectNowhere(
    new Map([
      ['log', output.log],
      ['output', output.out],
    ]),
  );
  await streams.close();

  // What was searched shows the run.
  expect(JSON.stringify(provider.ledger)).toContain(word);
  for (const name of ['/runs/{id}', '/runs/{id}/steps']) expect(read.get(name)).toContain('Hello.');
  expect(read.get('/metrics')).toContain('holdfast_inference');
  expect(queried.get('run')).toContain('Hello.');
  const silent = [...streams.shown].filter(([, events]) => events.length === 0 || events.join().includes('failed:'));
  expect(silent.map(([name]) => name)).toEqual([]);
  expect(output.log).toContain('"level":20');
}, 90_000);
