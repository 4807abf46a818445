import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../support/build.ts';

/** Uses what the middleware and the tools are typed for. */
const program = `
import { ToolLoopAgent, embed, generateText, streamText, tool, wrapEmbeddingModel, wrapLanguageModel } from 'ai';
import type { EmbeddingModel, LanguageModel } from 'ai';
import { durable, durableTools } from '@holdfast/sdk/ai-sdk';
import { z } from 'zod';

declare const plain: Exclude<Parameters<typeof wrapLanguageModel>[0]['model'], string>;
declare const embedder: Parameters<typeof wrapEmbeddingModel>[0]['model'];

const refund = tool({ inputSchema: z.object({ cents: z.number() }), execute: async ({ cents }) => ({ refunded: cents }) });
const model: LanguageModel = wrapLanguageModel({ model: plain, middleware: durable() });
const vectors: EmbeddingModel = wrapEmbeddingModel({ model: embedder, middleware: [durable({ id: 'embed' })] });
const tools = durableTools({ refund }, { refund: { approval: { risk: 'high' }, timeout: '30s' } });
// @ts-expect-error no such tool
durableTools({ refund }, { pay: {} });
// @ts-expect-error no such effect
durableTools({ refund }, { refund: { approval: { onTimeout: 'retry' } } });

const { toolResults } = await generateText({ model, tools, prompt: 'q' });
for (const result of toolResults) if (!result.dynamic) result.output.refunded satisfies number;
for await (const delta of streamText({ model, tools, prompt: 'q' }).textStream) delta satisfies string;
(await embed({ model: vectors, value: 'a' })).embedding satisfies number[];
await new ToolLoopAgent({ model, tools }).generate({ prompt: 'q' });
`;

const versions = [
  ['ai 6', 'test/sdk/ai-sdk'],
  ['ai 7', 'test/support/ai-v7'],
] as const;

test.each(versions)('the types of %s take the middleware and the tools', async (name, folder) => {
  if (name === 'ai 7' && Number.parseInt(process.versions.node, 10) < 22) return;
  const directory = await mkdtemp(join(projectRoot, folder, '.types-'));
  try {
    await writeFile(join(directory, 'program.ts'), program);
    const config = {
      extends: join(projectRoot, 'tsconfig.test.json'),
      compilerOptions: { rootDir: projectRoot, exactOptionalPropertyTypes: true },
      include: ['*.ts'],
    };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
    expect(await compile(directory)).toBe('');
  } finally {
    await rm(directory, { recursive: true });
  }
});

function compile(directory: string): Promise<string> {
  const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', directory, '--pretty', 'false'], (_error, stdout) => resolve(stdout));
  });
}
