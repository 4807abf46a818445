import { readFile } from 'node:fs/promises';
import { parse } from 'smol-toml';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type McpClientName, mcpClients, mcpConfig } from '../../src/cli/mcpConfig.ts';
import { toolsets } from '../../src/mcp/index.ts';
import { prompts } from '../../src/mcp/prompts/prompts.ts';
import { resourceKinds } from '../../src/mcp/resources/resources.ts';
import { tools } from '../../src/mcp/tools/index.ts';

let page: string;
let operating: string;
beforeAll(async () => {
  page = await readFile(new URL('../../docs/guides/agent-tools.md', import.meta.url), 'utf8');
  operating = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
});

const titles: Record<McpClientName, string> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  cursor: 'Cursor',
  vscode: 'VS Code',
};

const sectionOf = (title: string): string =>
  page.split(/^#{2,3} /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);

/** What each client accepts for a server over HTTP. */
const headers = z.record(z.string(), z.string());
const url = z.url();
const named = <T extends z.ZodType>(server: T) => z.strictObject({ holdfast: server });
const typed = z.strictObject({ type: z.literal('http'), url, headers });
const input = z.strictObject({
  type: z.literal('promptString'),
  id: z.string(),
  description: z.string(),
  password: z.boolean(),
});
const formats: Record<McpClientName, z.ZodType> = {
  'claude-code': z.strictObject({ mcpServers: named(typed) }),
  codex: z.strictObject({
    mcp_servers: named(
      z.strictObject({ url, http_headers: headers.optional(), bearer_token_env_var: z.string().optional() }),
    ),
  }),
  cursor: z.strictObject({ mcpServers: named(z.strictObject({ url, headers })) }),
  vscode: z.strictObject({ inputs: z.array(input).optional(), servers: named(typed) }),
};

describe('the guide to agent tools', () => {
  it.each(Object.keys(mcpClients) as McpClientName[])(
    'shows %s what mcp-config prints, and only what it accepts',
    (client) => {
      const section = sectionOf(titles[client]);
      const isToml = client === 'codex';
      const blocks = blocksOf(section, isToml ? 'toml' : 'json');
      expect(blocks[0]).toBe(mcpConfig(client, { url: 'http://127.0.0.1:4400/mcp', key: 'hf_pk_…' }));
      for (const block of blocks) formats[client].parse(isToml ? parse(block) : JSON.parse(block));
      expect(section).toContain(mcpClients[client].file.split(' ')[0]);
    },
  );

  it('names every toolset, and no tool that does not exist in another one', () => {
    const rows = [...sectionOf('Toolsets').matchAll(/^\| `(\w+)`( \(default\))? \| (.*) \|$/gm)];
    expect(rows.map(([, toolset]) => toolset)).toEqual([...toolsets]);
    for (const { name, toolset } of tools.filter((tool) => tool.toolset !== 'webhooks')) {
      const row = rows.find(([, each]) => each === toolset)?.[3];
      expect(row, name).toContain(`\`${name}\``);
    }
  });

  it('names every resource and prompt, with its arguments', () => {
    const section = sectionOf('Resources and prompts');
    for (const { template } of resourceKinds) expect(section).toContain(`\`${template.text}\``);
    for (const { name, arguments: taken } of prompts) {
      const given = taken.map((each) => `\`${each.name}${each.required ? '' : '?'}\``).join(', ');
      expect(section).toContain(`| \`${name}\` | ${given} |`);
    }
  });

  it('names every setting of the agent tools, as the reference of settings does', async () => {
    const settings = await readFile(new URL('../../src/settings.ts', import.meta.url), 'utf8');
    const names = [...new Set(settings.match(/\bMCP_[A-Z_]+/g))];
    expect(names.length).toBeGreaterThan(4);
    for (const name of names) {
      expect(page, name).toContain(`\`${name}\``);
      expect(operating, name).toContain(`| \`${name}\` |`);
    }
  });
});
