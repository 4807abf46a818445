/** Results as the clients of known providers return them, shortened. */

export const anthropicMessage = {
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'because', citations: null }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 0 },
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 2000,
    inference_geo: null,
    input_tokens: 12,
    output_tokens: 90,
    output_tokens_details: { thinking_tokens: 40 },
    server_tool_use: null,
    service_tier: 'standard',
    speed: 'standard',
  },
};

export const chatCompletion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'gpt-5-2025-08-07',
  choices: [{ index: 0, message: { role: 'assistant', content: 'because', refusal: null }, finish_reason: 'stop' }],
  usage: {
    prompt_tokens: 1200,
    completion_tokens: 80,
    total_tokens: 1280,
    prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 64, accepted_prediction_tokens: 0 },
  },
};

export const openaiResponse = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5-2025-08-07',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'because' }] }],
  output_text: 'because',
  usage: {
    input_tokens: 328,
    input_tokens_details: { cached_tokens: 128 },
    output_tokens: 52,
    output_tokens_details: { reasoning_tokens: 32 },
    total_tokens: 380,
  },
};

export const openaiEmbeddings = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.5, 1] }],
  model: 'text-embedding-3-small',
  usage: { prompt_tokens: 8, total_tokens: 8 },
};

export const googleContent = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'because' }] }, finishReason: 'STOP', index: 0 }],
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r',
  usageMetadata: {
    promptTokenCount: 50,
    toolUsePromptTokenCount: 10,
    candidatesTokenCount: 30,
    thoughtsTokenCount: 100,
    cachedContentTokenCount: 32,
    totalTokenCount: 190,
  },
};

export const bedrockConverse = {
  $metadata: { httpStatusCode: 200, requestId: 'r', attempts: 1 },
  output: { message: { role: 'assistant', content: [{ text: 'because' }] } },
  stopReason: 'end_turn',
  usage: {
    inputTokens: 30,
    outputTokens: 20,
    totalTokens: 1090,
    cacheReadInputTokens: 1024,
    cacheWriteInputTokens: 16,
  },
  metrics: { latencyMs: 800 },
};

export const usageOfAi5 = {
  inputTokens: 10,
  outputTokens: 4,
  totalTokens: 14,
  reasoningTokens: 1,
  cachedInputTokens: 6,
};

/** The same in `ai` 7, apart from its last two fields. */
export const usageOfAi6 = {
  inputTokens: 16,
  inputTokenDetails: { noCacheTokens: 8, cacheReadTokens: 6, cacheWriteTokens: 2 },
  outputTokens: 4,
  outputTokenDetails: { textTokens: 3, reasoningTokens: 1 },
  totalTokens: 20,
  raw: undefined,
  reasoningTokens: 1,
  cachedInputTokens: 6,
};

const response = { id: 'r', modelId: 'm-2026', timestamp: new Date(0), headers: { a: 'b' }, body: { prompt: 'again' } };

export const aiObject = (usage: object) => ({
  object: { urgent: true },
  finishReason: 'stop',
  usage,
  warnings: [],
  providerMetadata: undefined,
  response,
  request: { body: { prompt: 'why' } },
});

const embedded = { headers: {}, body: { object: 'list', model: 'text-embedding-3-small' } };
export const aiEmbed = { value: 'x', embedding: [0.5], usage: { tokens: 7 }, warnings: [], response: embedded };
export const aiEmbedMany = { values: ['x'], embeddings: [[0.5]], usage: { tokens: 9 }, responses: [embedded] };

/** Generated file: a class that keeps its bytes in either of two fields. */
class GeneratedFile {
  base64Data: string | undefined;
  uint8ArrayData: Uint8Array | undefined = new Uint8Array([1, 2, 3]);
  mediaType = 'image/png';
  get base64(): string {
    this.base64Data ??= Buffer.from(this.uint8Array).toString('base64');
    return this.base64Data;
  }
  get uint8Array(): Uint8Array {
    return this.uint8ArrayData ?? new Uint8Array();
  }
}

interface Part {
  type: string;
  text?: string;
  [more: string]: unknown;
}

const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { q: 'x' } };
const failure = { ...call, type: 'tool-error', error: new RangeError('no such thing') };

class StepResult {
  content: Part[];
  finishReason: string;
  usage: object;
  warnings = [];
  request = { body: { prompt: 'why' } };
  response = { ...response, messages: [{ role: 'assistant', content: 'because' }] };
  providerMetadata = { openai: { responseId: 'r' } };
  experimental_context = { db: () => 'a connection' };
  constructor(content: Part[], finishReason: string, usage: object) {
    this.content = content;
    this.finishReason = finishReason;
    this.usage = usage;
  }
  get text(): string {
    return this.content.map(({ text }) => text ?? '').join('');
  }
  get toolCalls(): Part[] {
    return this.content.filter(({ type }) => type === 'tool-call');
  }
  get staticToolCalls(): Part[] {
    return this.toolCalls;
  }
}

/** Result of `generateText`, whose facts are getters over its steps. */
class TextResult {
  readonly steps: StepResult[];
  readonly _output: unknown = { urgent: true };
  constructor(usage: object) {
    this.steps = [
      new StepResult([call, failure], 'tool-calls', usage),
      new StepResult(
        [
          { type: 'text', text: 'because' },
          { type: 'file', file: new GeneratedFile() },
        ],
        'stop',
        usage,
      ),
    ];
  }
  get finalStep(): StepResult {
    return this.steps.at(-1) ?? new StepResult([], 'stop', {});
  }
  get text(): string {
    return this.finalStep.text;
  }
  get toolCalls(): Part[] {
    return this.steps.flatMap(({ toolCalls }) => toolCalls);
  }
  get files(): unknown[] {
    return this.finalStep.content.flatMap(({ file }) => file ?? []);
  }
  get finishReason(): string {
    return this.finalStep.finishReason;
  }
  get usage(): object {
    return this.finalStep.usage;
  }
  get response(): object {
    return this.finalStep.response;
  }
  get request(): object {
    return this.finalStep.request;
  }
  get output(): unknown {
    if (this._output === undefined) throw new Error('no output was asked for');
    return this._output;
  }
  get experimental_output(): unknown {
    return this.output;
  }
}

class TextResult5 {
  readonly steps: StepResult[];
  readonly resolvedOutput: unknown = undefined;
  constructor() {
    this.steps = new TextResult(usageOfAi5).steps;
  }
  get text(): string {
    return this.steps.at(-1)?.text ?? '';
  }
  get finishReason(): string {
    return this.steps.at(-1)?.finishReason ?? '';
  }
  get usage(): object {
    return this.steps.at(-1)?.usage ?? {};
  }
  get totalUsage(): object {
    return { inputTokens: 20, outputTokens: 8, totalTokens: 28 };
  }
  get experimental_output(): unknown {
    throw new Error('no output was asked for');
  }
}

class TextResult7 extends TextResult {
  readonly totalUsage = { ...usageOfAi6, inputTokens: 32, outputTokens: 8 };
  readonly initialResponseMessages = [];
  override get usage(): object {
    return this.totalUsage;
  }
  get responseMessages(): object[] {
    return [{ role: 'assistant', content: 'because' }];
  }
}

export const textOfAi5 = (): object => new TextResult5();
export const textOfAi6 = (): object => new TextResult(usageOfAi6);
export const textOfAi7 = (): object => new TextResult7(usageOfAi6);
