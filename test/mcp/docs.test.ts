import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpServer, startMcp } from './mcpServer.ts';

let mcp: McpServer;
beforeAll(async () => {
  mcp = await startMcp();
});
afterAll(() => mcp.close());

const bytesOf = (answer: { content: { text: string }[] }): number =>
  answer.content.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

describe('search_docs', () => {
  it('finds sections, and read_doc reads them from there', async () => {
    const found = await mcp.tool('search_docs', { query: 'approve with edited arguments' }, { key: mcp.keys.public });
    const [best] = found.structuredContent.sections;
    expect(best).toMatchObject({ page: 'guides/approvals', heading: 'Deciding' });
    const { structuredContent } = await mcp.tool('read_doc', { page: best.page, offset: best.offset });
    expect(structuredContent.text).toMatch(/^## Deciding\n/);
  });

  it('keeps to the bound, to the limit, and to strings', async () => {
    const small = await mcp.tool('search_docs', { query: 'run', limit: 20, maxBytes: 1_024 });
    expect(bytesOf(small)).toBeLessThanOrEqual(1_024);
    expect(small.structuredContent.sections.length).toBeGreaterThan(0);
    expect((await mcp.tool('search_docs', { query: 'run', limit: 3 })).structuredContent.sections).toHaveLength(3);
    expect((await mcp.tool('search_docs', { query: 'zzzzqq' })).structuredContent).toEqual({ sections: [] });
    for (const given of [{ query: 7 }, { query: 'x'.repeat(501) }, { query: 'x', limit: 21 }, {}])
      expect(await mcp.tool('search_docs', given)).toMatchObject({
        isError: true,
        structuredContent: { code: 'BAD_USER_INPUT' },
      });
  });
});

describe('read_doc', () => {
  it('reads pages in pieces within the bound, which are the whole page together', async () => {
    for (const [page, maxBytes] of [
      ['sdk', 32_768],
      ['guides/approvals', 1_024],
      ['internals/where', 8_192],
      ['readme', 131_072],
    ] as const) {
      let text = '';
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const answer = await mcp.tool('read_doc', { page, offset, maxBytes });
        expect(bytesOf(answer), page).toBeLessThanOrEqual(maxBytes);
        expect(answer.structuredContent).not.toHaveProperty('abridged');
        text += answer.structuredContent.text;
        offset = answer.structuredContent.nextOffset;
        if (offset === undefined) expect(text).toHaveLength(answer.structuredContent.characters);
      }
      expect(text, page).toContain('\n## ');
    }
  });

  it('refuses unknown pages, and offsets beyond the page', async () => {
    for (const page of ['nothing', '../package.json', '', 'guides'])
      expect(await mcp.tool('read_doc', { page }), page).toMatchObject({ isError: true });
    expect((await mcp.tool('read_doc', { page: 'nothing' })).structuredContent.code).toBe('NOT_FOUND');
    expect(await mcp.tool('read_doc', { page: 'sdk', offset: 10_000_000 })).toMatchObject({ isError: true });
  });
});
