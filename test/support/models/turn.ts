/** A call of a tool, as a fake answers it. */
export interface FakeToolCall {
  id: string;
  name: string;
  /** A string is sent as it is, so that a test can break it. */
  input: unknown;
}

/** The tokens that a fake reports. `input` is without cached ones. */
export interface FakeUsage {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  reasoning?: number;
}

export type FakeFinish = 'stop' | 'length' | 'tool-calls' | 'content-filter';

/** What goes wrong with an answer. "Midway" is after the first piece of the answer. */
export type Fault =
  | 'hang before headers'
  | 'hang after headers'
  | 'hang midway'
  | 'hang at the end'
  | 'reset before headers'
  | 'reset midway'
  | 'cut midway'
  | 'truncated JSON'
  | 'no JSON'
  | 'empty'
  | 'endless'
  | 'slow bytes'
  | { errorMidway: { type: string; message: string } }
  | { errorFirst: { type: string; message: string } };

/** How a fake answers one request. */
export interface Turn {
  /** Sent in pieces. */
  text?: string | string[];
  reasoning?: { text: string; signature?: string; redacted?: string };
  toolCalls?: FakeToolCall[];
  finish?: FakeFinish;
  usage?: FakeUsage;
  /** Default: the model of the request. */
  model?: string;
  /** Default: a vector of three for each value. */
  embeddings?: number[][];
  /** One JSON document, although a stream was asked for. */
  plain?: boolean;
  /** Compresses the answer although nobody asked for it. */
  compressed?: boolean;
  /** The provider says no. `echo` repeats the request, and `hang` never ends the body. */
  refusal?: {
    status: number;
    type?: string;
    code?: string;
    message?: string;
    body?: string;
    echo?: boolean;
    hang?: boolean;
  };
  headers?: Record<string, string>;
  fault?: Fault;
}

/** The parts of a turn, with all defaults. */
export interface FullTurn extends Turn {
  pieces: string[];
  usage: FakeUsage;
  finish: FakeFinish;
  model: string;
}

export function fullTurn(turn: Turn, model: string): FullTurn {
  const { text, toolCalls, usage, finish } = turn;
  const pieces = text === undefined ? [] : [text].flat();
  return {
    ...turn,
    pieces,
    usage: usage ?? { input: 10, output: 5 },
    finish: finish ?? (toolCalls ? 'tool-calls' : 'stop'),
    model: turn.model ?? model,
  };
}

export const inputText = (input: unknown): string => (typeof input === 'string' ? input : JSON.stringify(input));

/** A frame of a stream of server-sent events. */
export const frame = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
