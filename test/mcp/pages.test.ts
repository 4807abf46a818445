import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { insertDelivery, insertEndpoint } from '../engine/webhooks/deliveries/scene.ts';
import { insertFrame, insertRun, insertStep } from '../schema/fixtures.ts';
import { type McpServer, startMcp } from './mcpServer.ts';
import { createApproval } from './rows.ts';

let mcp: McpServer;
let runId: string;
beforeAll(async () => {
  mcp = await startMcp();
  runId = await insertRun(mcp.engine, mcp.projectId);
});
afterAll(() => mcp.close());

const text = JSON.stringify('x'.repeat(700));
let count = 0;
function next(): number {
  count += 1;
  return count;
}

/** A list: its tool, and how an entry comes in, with its name. */
interface List {
  tool: string;
  member: string;
  given?: () => object;
  add(): Promise<string>;
  nameOf(row: Row): string;
}

type Row = Record<string, unknown>;

const lists: List[] = [
  {
    tool: 'list_runs',
    member: 'runs',
    add: () => insertRun(mcp.engine, mcp.projectId, { workflow: 'flow', tags: { t: 'x'.repeat(256) } }),
    nameOf: ({ id }) => String(id),
  },
  {
    tool: 'list_run_steps',
    member: 'steps',
    given: () => ({ id: runId, include: ['output'] }),
    add: async () => {
      const index = next();
      await insertStep(mcp.engine, runId, { index, output: text });
      return `${index}`;
    },
    nameOf: ({ index }) => String(index),
  },
  {
    tool: 'list_run_logs',
    member: 'logs',
    given: () => ({ id: runId }),
    add: async () => {
      const seq = next();
      const payload = `{"level":"info","message":${text},"scope":"@root","attempt":1}`;
      await insertFrame(mcp.engine, runId, { seq, kind: 'log', payload });
      return `${seq}`;
    },
    nameOf: ({ seq }) => String(seq),
  },
  {
    tool: 'list_events',
    member: 'events',
    add: async () => {
      const id = newId();
      await mcp.engine.db.query({
        text: `insert into event (id, project_id, app, name, data, source, triggered, woke_runs)
               values ($1, $2, 'a', 'e', $3::json, 'api', '[]', '{}')`,
        values: [id, mcp.projectId, text],
      });
      return id;
    },
    nameOf: ({ id }) => String(id),
  },
  {
    tool: 'list_approvals',
    member: 'approvals',
    add: () => createApproval(mcp, runId, next(), text),
    nameOf: ({ id }) => String(id),
  },
  {
    tool: 'list_sessions',
    member: 'sessions',
    add: async () => {
      const session = `session ${next()} ${'x'.repeat(200)}`;
      await insertRun(mcp.engine, mcp.projectId, { session });
      return session;
    },
    nameOf: ({ session }) => String(session),
  },
  {
    tool: 'list_apps',
    member: 'apps',
    add: async () => {
      const name = `app ${String(next()).padStart(6, '0')} ${'x'.repeat(200)}`;
      await mcp.engine.db.prisma.app.create({ data: { projectId: mcp.projectId, name } });
      return name;
    },
    nameOf: ({ name }) => String(name),
  },
  {
    tool: 'list_webhook_endpoints',
    member: 'endpoints',
    add: () => insertEndpoint(mcp.engine, mcp.projectId),
    nameOf: ({ id }) => String(id),
  },
  {
    tool: 'get_webhook_endpoint_stats',
    member: 'endpoints',
    add: () => insertEndpoint(mcp.engine, mcp.projectId),
    nameOf: ({ endpointId }) => String(endpointId),
  },
  {
    tool: 'list_webhook_deliveries',
    member: 'deliveries',
    add: () => insertDelivery(mcp.engine, mcp.projectId, { eventKind: 'custom', payload: text }),
    nameOf: ({ id }) => String(id),
  },
];

describe.each(lists)('$tool', ({ tool, member, given = () => ({}), add, nameOf }) => {
  it('gives each entry once by its cursors, while entries are added and pages end early', async () => {
    const before: string[] = [];
    for (let entry = 0; entry < 45; entry += 1) before.push(await add());
    const met: string[] = [];
    const sizes: number[] = [];
    let more: object | undefined = {};
    while (more) {
      const sent = { ...given(), ...more, maxBytes: 6_000 };
      const { structuredContent: data, isError } = await mcp.tool(tool, sent, { search: 'toolsets=all' });
      expect(isError, JSON.stringify(data)).toBeUndefined();
      const rows: Row[] = data[member];
      met.push(...rows.map(nameOf));
      sizes.push(rows.length);
      more =
        'nextCursor' in data
          ? { cursor: data['nextCursor'] }
          : 'nextFrom' in data
            ? { from: data['nextFrom'] }
            : undefined;
      if (sizes.length < 5) await add();
    }
    expect(new Set(met).size).toBe(met.length);
    expect(met).toEqual(expect.arrayContaining(before));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(20);
  });
});

describe('a cursor', () => {
  it('of another list is refused', async () => {
    const { structuredContent } = await mcp.tool('list_runs', { limit: 1 });
    const answer = await mcp.tool('list_events', { cursor: structuredContent.nextCursor });
    expect(answer).toMatchObject({ isError: true, structuredContent: { code: 'BAD_USER_INPUT' } });
  });
});
