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

const get = (name: string, given: Record<string, string> = {}, caller = {}) =>
  mcp.request('prompts/get', { name, arguments: given }, caller);

const givenFor = ({ runId, waitingId, approvalId, app }: Planted): [string, Record<string, string>][] => [
  ['debug_run', { id: runId }],
  ['why_is_it_waiting', { id: waitingId }],
  ['review_approval', { id: approvalId }],
  ['incident', { since: '2h' }],
  ['incident', { since: '2h', app, status: 'all' }],
  ['write_workflow', {}],
  ['write_workflow', { app }],
];

interface Message {
  role: string;
  content: { type: string; text?: string; uri?: string; name?: string; title?: string };
}

const textsOf = (messages: Message[]): string[] => messages.flatMap(({ content: { text } }) => text ?? []);

describe('prompts of /mcp', () => {
  it('are five, the same for every key', async () => {
    const { result } = await mcp.request('prompts/list');
    expect(result.prompts.map(({ name }: { name: string }) => name)).toEqual([
      'debug_run',
      'why_is_it_waiting',
      'review_approval',
      'incident',
      'write_workflow',
    ]);
    expect(result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
    expect((await mcp.request('prompts/list', {}, { key: mcp.keys.public })).result.prompts).toEqual(result.prompts);
    const events = await mcp.request('prompts/list', {}, { search: 'toolsets=approvals,docs' });
    expect(events.result.prompts.map(({ name }: { name: string }) => name)).toEqual([
      'review_approval',
      'write_workflow',
    ]);
  });

  it('hold our instructions first, and what strangers wrote as fenced data, within the bound', async () => {
    for (const [name, given] of givenFor(ours)) {
      const { result, error } = await get(name, given, { key: mcp.keys.public });
      expect(error, name).toBeUndefined();
      const [first = '', ...data] = textsOf(result.messages);
      expect(first, name).not.toContain('lure-8151');
      for (const text of data) expect(isFenced(text), `${name}: ${text.slice(0, 200)}`).toBe(true);
      expect(Buffer.byteLength([first, ...data].join('')), name).toBeLessThanOrEqual(32_768);
      expect(JSON.stringify(result), name).not.toMatch(/[\u200b\u202e\u{e0041}]/u);
    }
  });

  it('debug_run and why_is_it_waiting have the findings of diagnose_run', async () => {
    const { result } = await get('debug_run', { id: ours.runId });
    const [, findings = ''] = textsOf(result.messages);
    expect(JSON.parse(findings.split('\n')[2] ?? '')).toMatchObject({ verdict: expect.stringMatching(/^failed$/i) });
    expect(findings).toContain('lure-8151');
  });

  it('write_workflow links to pages that can be read', async () => {
    const { result } = await get('write_workflow');
    const links = result.messages.flatMap(({ content }: Message) =>
      content.type === 'resource_link' ? [content] : [],
    );
    expect(links.length).toBeGreaterThan(3);
    for (const { uri } of links) {
      const page = await mcp.request('resources/read', { uri });
      expect(page.result.contents, uri).toHaveLength(1);
    }
  });

  it('answer ids of another project as unknown ones, and show none of its data', async () => {
    for (const [name, given] of givenFor(theirs).slice(0, 3)) {
      const unknown = await get(name, { id: '00000000-0000-7000-8000-000000000000' });
      expect((await get(name, given)).error, name).toEqual(unknown.error);
      expect(unknown.error, name).toMatchObject({ code: -32_602, message: expect.stringMatching(/not found$/) });
      expect((await get(name, given, { key: stranger.secret })).result.messages, name).toHaveLength(2);
    }
    for (const [name, given] of givenFor(theirs).slice(3)) {
      const text = JSON.stringify((await get(name, given)).result);
      for (const id of [theirs.runId, theirs.waitingId, theirs.workflow]) expect(text, name).not.toContain(id);
    }
  });

  it('refuse unknown names, and arguments that are unknown, missing or wrong, with -32602', async () => {
    const refused: [string, Record<string, string>, string][] = [
      ['nothing', {}, 'unknown prompt'],
      ['constructor', {}, 'unknown prompt'],
      ['debug_run', {}, 'id is required'],
      ['debug_run', { id: '' }, 'id is required'],
      ['debug_run', { id: 'x', more: 'y' }, 'unknown argument: debug_run takes id'],
      ['incident', {}, 'since is required'],
    ];
    for (const [name, given, message] of refused)
      expect((await get(name, given)).error, name).toMatchObject({ code: -32_602, message });
    const wrong = await get('incident', { since: 'yesterday' });
    expect(wrong.error).toMatchObject({ code: -32_602, message: expect.stringContaining('since') });
    const leftOut = await get('debug_run', { id: ours.runId }, { search: 'toolsets=docs' });
    expect(leftOut.error.message).toContain('?toolsets=runs');
  });
});
