/**
 * The parts of the models of the AI SDK that this library reads. They are structural, so that
 * models of several versions fit, without a dependency.
 */
export interface CallParams {
  abortSignal?: AbortSignal | undefined;
}

/** The arguments of a middleware's `wrapGenerate`. */
export interface GenerateCall<Params, Result> {
  doGenerate(): PromiseLike<Result>;
  params: Params;
  model: { modelId: string; doGenerate(params: Params): PromiseLike<Result> };
}

/** The arguments of a middleware's `wrapStream`. */
export interface StreamCall<Params, Result> {
  doStream(): PromiseLike<Result>;
  params: Params;
  model: { modelId: string; doStream(params: Params): PromiseLike<Result> };
}

/** The arguments of a middleware's `wrapEmbed`. */
export interface EmbedCall<Params, Result> {
  doEmbed(): PromiseLike<Result>;
  params: Params;
  model: { modelId: string; doEmbed(params: Params): PromiseLike<Result> };
}

/** A result as this library changes it. Its other fields are kept. */
export interface CallResult {
  request?: unknown;
  response?: { id?: string; timestamp?: Date; modelId?: string; headers?: unknown; body?: unknown } | undefined;
  usage?: unknown;
}

/** A part of a streamed answer. */
export interface StreamPart {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
  readonly modelId?: string;
  readonly usage?: unknown;
  readonly error?: unknown;
}

export interface StreamResult {
  stream: ReadableStream<StreamPart>;
  response?: { headers?: unknown } | undefined;
}
