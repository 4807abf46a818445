import {
  type GraphQLInputType,
  GraphQLNonNull,
  GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { HoldfastError } from '../../src/engine/errors.ts';
import { newId } from '../../src/engine/ids.ts';
import type { Principal } from '../../src/engine/keys/index.ts';
import { schema } from '../../src/schema/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import {
  insertFrame,
  insertRun,
  insertStep,
  insertWorkflows,
  operator,
  publicKey,
  query,
  secretKey,
} from './fixtures.ts';

const test = useEngine();
let projectId: string;
let otherId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  otherId = await createTestProject(test.engine);
});

const kindOf = async (principal: Principal, document: string, variables = {}): Promise<unknown> => {
  try {
    await query(test.engine, principal, document, variables);
    return 'passed';
  } catch (error) {
    return error instanceof HoldfastError ? error.kind : error;
  }
};

const operatorFields = [
  'createProject',
  'updateProject',
  'createApiKey',
  'revokeApiKey',
  'rotateProjectSecrets',
  'setProviderKey',
  'removeProviderKey',
];

const projectFields = [
  'sendEvent',
  'sendEvents',
  'triggerWorkflow',
  'retireWorkflow',
  'restoreWorkflow',
  'cancelRun',
  'pauseRun',
  'resumeRun',
  'replayRun',
  'replaySourceDelivery',
  'retryRunFromStep',
  'bulkReplayRuns',
  'bulkCancelRuns',
  'decideApproval',
  'createStreamTicket',
  'createWebhookEndpoint',
  'updateWebhookEndpoint',
  'deleteWebhookEndpoint',
  'createWebhookSource',
  'updateWebhookSource',
  'deleteWebhookSource',
  'redeliverWebhook',
  'redeliverWebhooks',
  'sendTestWebhook',
  'checkProvider',
];

/** A value that fits an input type, whatever it means. */
function sample(type: GraphQLInputType): string {
  if (type instanceof GraphQLNonNull) return sample(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => field.type instanceof GraphQLNonNull);
    return `{${required.map((field) => `${field.name}: ${sample(field.type)}`).join(', ')}}`;
  }
  return type instanceof GraphQLScalarType && type.name === 'Int' ? '1' : '"x"';
}

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ({
  name: field.name,
  document: `mutation { ${field.name}(input: ${field.args.map((each) => sample(each.type)).join()}) { __typename } }`,
}));

describe('rights', () => {
  it.each(mutations)('a public key may not $name', async ({ document }) => {
    expect(await kindOf(publicKey(projectId), document)).toBe('forbidden');
  });

  it.each(mutations.filter(({ name }) => operatorFields.includes(name)))(
    '$name needs the operator key',
    async ({ document }) => {
      expect(await kindOf(secretKey(projectId), document)).toBe('forbidden');
      expect(await kindOf(operator(), document)).not.toBe('forbidden');
    },
  );

  it('every mutation is either for a full-access key or for operators', () => {
    expect(mutations.map((each) => each.name).sort()).toEqual([...projectFields, ...operatorFields].sort());
  });

  it('a public key reads', async () => {
    expect(await kindOf(publicKey(projectId), '{ runs { nodes { id } } workflows { name } viewer { kind } }')).toBe(
      'passed',
    );
  });

  it('projects and their keys are for operators', async () => {
    expect(await kindOf(secretKey(projectId), '{ projects { id } }')).toBe('forbidden');
    expect(await kindOf(secretKey(projectId), '{ viewer { project { apiKeys { id } } } }')).toBe('forbidden');
    expect(await kindOf(operator(), '{ projects { id apiKeys { id } } viewer { kind project { id } } }')).toBe(
      'passed',
    );
  });

  it('an operator who names no project reads no data of one, and with a project acts in it', async () => {
    for (const field of [
      'apps { name }',
      'workflows { name }',
      'runners { app }',
      'runs { nodes { id } }',
      `run(id: "${newId()}") { id }`,
    ]) {
      expect(await kindOf(operator(), `{ ${field} }`)).toBe('invalid');
      expect(await kindOf(operator(projectId), `{ ${field} }`)).toBe('passed');
    }
    expect(await kindOf(operator(), 'mutation { sendEvent(input: { name: "x" }) { woke } }')).toBe('invalid');
    expect(await kindOf(operator(projectId), 'mutation { sendEvent(input: { name: "x" }) { woke } }')).toBe('passed');
  });
});

describe("another project's things are unknown", () => {
  let runId: string;
  let eventId: string;

  beforeAll(async () => {
    eventId = newId();
    runId = await insertRun(test.engine, otherId, { eventId, input: '"theirs"' });
    await insertStep(test.engine, runId, { index: 0 });
    await insertFrame(test.engine, runId, { seq: 1, kind: 'log', payload: '{"message":"theirs"}' });
    await insertWorkflows(test.engine, otherId, [{ app: 'theirs', name: 'theirs' }]);
    await test.db.prisma.app.create({ data: { projectId: otherId, name: 'theirs' } });
    await test.db.prisma.runner.create({
      data: {
        id: newId(),
        projectId: otherId,
        app: 'theirs',
        runnerId: 'r',
        transport: 'http',
        url: 'http://x',
        connectionId: newId(),
      },
    });
    await test.db.query({
      text: `insert into event (id, project_id, app, name, source, triggered) values ($1, $2, 'theirs', 'e', 'api', '[]')`,
      values: [eventId, otherId],
    });
  });

  const reads: [string, unknown][] = [
    ['run(id: $run) { id steps { name } logs { message } children { id } replays { id } event { id } }', null],
    ['event(id: $event) { id data }', null],
    ['runs { nodes { id } }', { nodes: [] }],
    ['runs(filter: { eventId: $event }) { nodes { id } }', { nodes: [] }],
    ['runs(filter: { q: "theirs", deep: true }) { nodes { id } }', { nodes: [] }],
    ['events { nodes { id } }', { nodes: [] }],
    ['workflows { name }', []],
    ['workflows(app: "theirs") { name }', []],
    ['apps { name }', []],
    ['runners { runnerId }', []],
  ];

  it.each(reads)('%s', async (field, nothing) => {
    const project = await createTestProject(test.engine);
    const document = `query ($run: ID = "", $event: ID = "") { it: ${field} run(id: $run) { id } event(id: $event) { id } }`;
    const variables = { run: runId, event: eventId };
    const theirs = await query(test.engine, secretKey(otherId), document, variables);
    expect(theirs['it']).not.toEqual(nothing);
    expect(await query(test.engine, secretKey(project), document, variables)).toEqual({
      it: nothing,
      run: null,
      event: null,
    });
  });

  it('links of a run do not lead out of its project', async () => {
    const own = await insertRun(test.engine, projectId, { parentRunId: runId, eventId, replayOf: runId });
    await insertRun(test.engine, otherId, { parentRunId: own, replayOf: own });
    const document = 'query ($id: ID!) { run(id: $id) { parent { id } event { id } children { id } replays { id } } }';
    expect(await query(test.engine, secretKey(projectId), document, { id: own })).toEqual({
      run: { parent: null, event: null, children: [], replays: [] },
    });
  });

  it('cancelRun', async () => {
    const document = 'mutation ($id: ID!) { cancelRun(input: { runId: $id }) { run { status } } }';
    expect(await kindOf(secretKey(projectId), document, { id: runId })).toBe('notFound');
    expect(await kindOf(secretKey(projectId), document, { id: 'no uuid' })).toBe('notFound');
  });

  it('triggerWorkflow', async () => {
    const document = 'mutation { triggerWorkflow(input: { app: "theirs", name: "theirs" }) { runId } }';
    expect(await kindOf(secretKey(projectId), document)).toBe('notFound');
  });
});
