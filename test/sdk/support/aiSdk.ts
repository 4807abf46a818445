import { readFile } from 'node:fs/promises';
import * as ai6 from 'ai';
import { MockEmbeddingModelV3, MockLanguageModelV3 } from 'ai/test';

type Model = InstanceType<typeof MockLanguageModelV3>;
export type Generated = Awaited<ReturnType<Model['doGenerate']>>;
export type Streamed = Awaited<ReturnType<Model['doStream']>>;
export type Part = Streamed['stream'] extends ReadableStream<infer P> ? P : never;
export type CallOptions = Parameters<Model['doGenerate']>[0];

/** A version of the AI SDK, with the mocks of its models. */
export interface AiSdk {
  name: string;
  version: 'v3' | 'v4';
  ai: typeof ai6;
  LanguageModel: typeof MockLanguageModelV3;
  EmbeddingModel: typeof MockEmbeddingModelV3;
}

/** The versions that run on this Node. The types of version 6 stand for both. */
export async function aiSdks(): Promise<AiSdk[]> {
  const six: AiSdk = {
    name: `ai ${await versionIn('../../../node_modules/ai')}`,
    version: 'v3',
    ai: ai6,
    LanguageModel: MockLanguageModelV3,
    EmbeddingModel: MockEmbeddingModelV3,
  };
  if (Number.parseInt(process.versions.node, 10) < 22) return [six];
  // In variables, so that the compiler does not look for the modules.
  const [library, mocks] = ['../../support/ai-v7/index.mjs', '../../support/ai-v7/test.mjs'];
  const { MockLanguageModelV4, MockEmbeddingModelV4 } = await import(mocks);
  const seven: AiSdk = {
    name: `ai ${await versionIn('../../support/ai-v7/node_modules/ai')}`,
    version: 'v4',
    ai: await import(library),
    LanguageModel: MockLanguageModelV4,
    EmbeddingModel: MockEmbeddingModelV4,
  };
  return [six, seven];
}

async function versionIn(folder: string): Promise<string> {
  return JSON.parse(await readFile(new URL(`${folder}/package.json`, import.meta.url), 'utf8')).version;
}

export const usage = {
  inputTokens: { total: 12, noCache: 6, cacheRead: 4, cacheWrite: 2 },
  outputTokens: { total: 3, text: 2, reasoning: 1 },
};

export const answer = (content: Generated['content'], more: Partial<Generated> = {}): Generated => ({
  content,
  finishReason: { unified: content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop', raw: undefined },
  usage,
  warnings: [],
  ...more,
});

export const text = (value: string, more: Partial<Generated> = {}): Generated =>
  answer([{ type: 'text', text: value }], more);

export const toolCall = (toolCallId: string, toolName: string, input: unknown) =>
  ({ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }) as const;

export function streamed(parts: Part[], reason: 'stop' | 'tool-calls' = 'stop'): Streamed {
  const all: Part[] = [
    { type: 'stream-start', warnings: [] },
    ...parts,
    { type: 'finish', finishReason: { unified: reason, raw: undefined }, usage },
  ];
  return {
    stream: new ReadableStream({
      start(controller) {
        for (const part of all) controller.enqueue(part);
        controller.close();
      },
    }),
  };
}

export const deltas = (...texts: string[]): Part[] => [
  { type: 'text-start', id: 't' },
  ...texts.map((delta) => ({ type: 'text-delta', id: 't', delta }) as const),
  { type: 'text-end', id: 't' },
];
