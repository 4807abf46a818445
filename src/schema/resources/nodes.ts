import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { canonicalId, isId } from '../../engine/ids.ts';
import { findNodeKind, type NodeKind } from '../../engine/nodes/index.ts';
import { findEndpoint, findSource } from '../../engine/webhooks/config/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { findApproval } from './approvals.ts';
import { findEvent } from './events.ts';
import { NodeInterface, nodeTypes } from './refs.ts';
import { findRun } from './runs.ts';
import { findSession, sessionPrefix } from './sessions.ts';
import { findDelivery } from './webhookDeliveries.ts';
import { findSourceDelivery } from './webhookSourceDeliveries.ts';

type Reader = (context: SchemaContext, id: string, info: GraphQLResolveInfo) => Promise<object | null | undefined>;

interface NodeType {
  type: string;
  read: Reader;
}

/** The type of each kind, and how a thing of the caller's project is read. */
const byKind: Readonly<Record<NodeKind, NodeType>> = {
  run: { type: 'Run', read: findRun },
  event: { type: 'Event', read: findEvent },
  approval: { type: 'Approval', read: findApproval },
  delivery: { type: 'WebhookDelivery', read: findDelivery },
  message: { type: 'WebhookSourceDelivery', read: findSourceDelivery },
  endpoint: {
    type: 'WebhookEndpoint',
    read: ({ engine, projectId }, id) => findEndpoint(engine, { projectId, id }),
  },
  source: { type: 'WebhookSource', read: ({ engine, projectId }, id) => findSource(engine, { projectId, id }) },
  workflow: {
    type: 'Workflow',
    read: (context, id, info) => {
      const { engine, projectId } = context;
      const query: object = queryFromInfo({ context, info, typeName: 'Workflow' });
      return engine.db.reading(() => engine.db.prisma.workflow.findFirst({ ...query, where: { id, projectId } }));
    },
  },
  runner: {
    type: 'Runner',
    read: (context, id, info) => {
      const { engine, projectId } = context;
      const query: object = queryFromInfo({ context, info, typeName: 'Runner' });
      return engine.db.reading(() => engine.db.prisma.runner.findFirst({ ...query, where: { id, projectId } }));
    },
  },
};

const step: NodeType = { type: 'RunStep', read: findStep };
const session: NodeType = {
  type: 'Session',
  read: (context, id) => findSession(context, id.slice(sessionPrefix.length)),
};

/** The type of an id: its form tells, or a statement that looks for the UUID. */
async function nodeTypeOf({ engine, projectId }: SchemaContext, id: string): Promise<NodeType | undefined> {
  if (id.startsWith(sessionPrefix)) return session;
  if (stepId.test(id)) return step;
  if (!isId(id)) return undefined;
  const [found] = await findNodeKind(engine.db, { projectId, id });
  return found && byKind[found.kind];
}

/** `index` and `attempt` fit into 32 bits. */
const stepId = /^([0-9a-f-]{36})\.(\d{1,9})\.(\d{1,9})$/i;

async function findStep(context: SchemaContext, id: string): Promise<object | undefined> {
  const [, run = '', index, attempt] = stepId.exec(id) ?? [];
  const runId = canonicalId(run);
  // Steps carry no project.
  if (!(await findRun(context, runId))) return undefined;
  const wanted = { index: Number(index), attempt: Number(attempt) };
  const after = { index: wanted.index, attempt: wanted.attempt - 1 };
  const [found] = (await context.loaders.steps.stepsAfter.load({ runId, after, limit: 1 })) ?? [];
  return found?.index === wanted.index && found.attempt === wanted.attempt ? found : undefined;
}

builder.queryField('node', (t) =>
  t.field({
    type: NodeInterface,
    nullable: true,
    description: 'The thing with an id, whatever its type. Null if the project of the key has none.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of any type that implements `Node`.' }) },
    resolve: async (_root, { id }, context, info) => {
      const node = await nodeTypeOf(context, id);
      const row = await node?.read(context, id, info);
      if (!node || !row) return null;
      nodeTypes.set(row, node.type);
      return row;
    },
  }),
);
