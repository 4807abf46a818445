import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpServer, startMcp } from './mcpServer.ts';
import { isFenced, type Planted, plant } from './planted.ts';

let mcp: McpServer;
let ours: Planted;
let theirs: Planted;
let stranger: { projectId: string; secret: string };
beforeAll(async () => {
  mcp = await startMcp();
  ours = await plant(mcp, mcp.projectId);
  stranger = await mcp.stranger();
  theirs = await plant(mcp, stranger.projectId, 'stranger');
});
afterAll(() => mcp.close());

const urisOf = ({ runId, eventId, approvalId, app, workflow }: Planted): string[] => [
  `run://${runId}`,
  `run://${runId}/steps`,
  `run://${runId}/logs`,
  `event://${eventId}`,
  `approval://${approvalId}`,
  `workflow://${app}/${workflow}`,
];

const read = (uri: string, caller = {}) => mcp.request('resources/read', { uri }, caller);

describe('resources of /mcp', () => {
  it('announces what it serves, and neither changes of lists nor subscriptions', async () => {
    const { result } = await mcp.request('server/discover');
    expect(result.capabilities).toEqual({ tools: {}, resources: {}, prompts: {}, completions: {} });
  });

  it('lists the pages of the documentation, and nothing of a project', async () => {
    const { result } = await mcp.request('resources/list');
    expect(result.resources[0]).toMatchObject({ uri: 'doc://readme', title: 'Holdfast', mimeType: 'text/markdown' });
    expect(result.resources.map(({ uri }: { uri: string }) => uri)).toContain('doc://guides/approvals');
    expect(result.resources.every(({ uri }: { uri: string }) => uri.startsWith('doc://'))).toBe(true);
    expect(result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
    const others = await mcp.request('resources/list', {}, { key: mcp.keys.public });
    expect(others.result.resources).toEqual(result.resources);
  });

  it('lists seven templates, which depend on the toolsets of the address', async () => {
    const { result } = await mcp.request('resources/templates/list');
    expect(result.resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual([
      'run://{id}',
      'run://{id}/steps',
      'run://{id}/logs',
      'event://{id}',
      'approval://{id}',
      'workflow://{app}/{name}',
      'doc://{page}',
    ]);
    expect(result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
    const events = await mcp.request('resources/templates/list', {}, { search: 'toolsets=events' });
    expect(events.result.resourceTemplates).toHaveLength(1);
    const pages = await mcp.request('resources/list', {}, { search: 'toolsets=events' });
    expect(pages.result.resources).toEqual([]);
    const { error } = await read(`run://${ours.runId}`, { search: 'toolsets=events' });
    expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining('?toolsets=runs') });
  });

  it('answers each within the bound, and fences what strangers wrote', async () => {
    for (const uri of urisOf(ours)) {
      const { result, error } = await read(uri, { key: mcp.keys.public });
      expect(error, uri).toBeUndefined();
      expect(result.contents, uri).toHaveLength(1);
      const [{ text, ...rest }] = result.contents;
      expect(rest, uri).toEqual({ uri, mimeType: 'text/plain' });
      expect(Buffer.byteLength(text), uri).toBeLessThanOrEqual(32_768);
      expect(text, uri).toContain('lure-8151');
      expect(isFenced(text), uri).toBe(true);
      expect(text, uri).not.toMatch(/[\u200b\u202e\u{e0041}]/u);
    }
  });

  it('answers the same data as the tools', async () => {
    const dataOf = (text: string): unknown => JSON.parse(text.split('\n')[2] ?? '');
    const pairs: [string, string, object][] = [
      [`run://${ours.runId}`, 'get_run', { id: ours.runId }],
      [`run://${ours.runId}/steps`, 'list_run_steps', { id: ours.runId }],
      [`run://${ours.runId}/logs`, 'list_run_logs', { id: ours.runId }],
      [`event://${ours.eventId}`, 'get_event', { id: ours.eventId }],
      [`approval://${ours.approvalId}`, 'get_approval', { id: ours.approvalId }],
    ];
    for (const [uri, tool, given] of pairs) {
      const { result } = await read(uri);
      expect(dataOf(result.contents[0].text), uri).toEqual((await mcp.tool(tool, given)).structuredContent);
    }
    const { result } = await read(`workflow://${ours.app}/${ours.workflow}`);
    const listed = await mcp.tool('list_workflows');
    expect(dataOf(result.contents[0].text)).toEqual(listed.structuredContent.workflows[0]);
  });

  it('keeps to a bound that the operator set', async () => {
    const small = await startMcp({ mcp: { answerMaxBytes: 2_048 } });
    try {
      const planted = await plant(small, small.projectId);
      for (const uri of [...urisOf(planted), 'doc://sdk', 'doc://readme']) {
        const { result } = await small.request('resources/read', { uri });
        expect(Buffer.byteLength(result.contents[0].text), uri).toBeLessThanOrEqual(2_048);
      }
    } finally {
      await small.close();
    }
  });

  it('answers ids of another project as it answers unknown ones, with -32602', async () => {
    const unknown = urisOf({
      runId: '00000000-0000-7000-8000-000000000000',
      eventId: '00000000-0000-7000-8000-000000000000',
      approvalId: '00000000-0000-7000-8000-000000000000',
      waitingId: '',
      app: 'stranger',
      workflow: 'nothing',
    });
    for (const [at, uri] of urisOf(theirs).entries()) {
      const { error } = await read(uri);
      expect(error, uri).toEqual((await read(unknown[at] ?? '')).error);
      expect(error, uri).toMatchObject({ code: -32_602, message: expect.stringMatching(/^\w+ not found$/) });
      const { result } = await read(uri, { key: stranger.secret });
      expect(result?.contents, uri).toHaveLength(1);
    }
  });

  it('refuses what names nothing, with -32602', async () => {
    for (const uri of [
      '',
      'run://',
      'run://a/b/c',
      'run://%E0%A4%A',
      `run://${'x'.repeat(5_000)}`,
      'doc://',
      'doc://nothing',
      'doc://../package.json',
      'doc://..%2F..%2Fpackage.json',
      'workflow://shop',
      'file:///etc/passwd',
      'http://127.0.0.1/',
    ]) {
      const { error } = await read(uri);
      expect(error, uri).toMatchObject({ code: -32_602 });
      expect(error.message, uri).toMatch(/^(unknown resource|page not found|run not found)$/);
    }
  });

  it('reads a page as Markdown, also by an encoded name, and says where the rest is', async () => {
    for (const uri of ['doc://guides/approvals', 'doc://guides%2Fapprovals']) {
      const { result } = await read(uri);
      expect(result.contents[0]).toMatchObject({ uri, mimeType: 'text/markdown' });
      expect(result.contents[0].text).toMatch(
        /^A page of the documentation of this version\.\n<data-\w+>\n# Approvals\n/,
      );
    }
    const { result } = await read('doc://sdk');
    const [, offset] = /^The first (\d+) characters/.exec(result.contents[0].text) ?? [];
    const rest = await mcp.tool('read_doc', { page: 'sdk', offset: Number(offset) });
    expect(rest.structuredContent).toMatchObject({ page: 'sdk', offset: Number(offset) });
  });
});
