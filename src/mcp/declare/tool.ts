import type { EngineContext } from '../../engine/context.ts';
import type { JsonDocument } from '../../engine/json/index.ts';
import type { KeyTurn, Principal } from '../../engine/keys/index.ts';
import type { CallOrigin } from '../../engine/origin.ts';
import type { DocumentRoute, JsonSchema } from '../../rest/index.ts';
import type { Toolset } from './toolsets.ts';

/** Hints of the protocol about what a tool does. Absent ones are false. */
export interface Annotations {
  readOnlyHint?: true;
  destructiveHint?: true;
  idempotentHint?: true;
  /** The tool makes code run, or a request leave the service. */
  openWorldHint?: true;
}

/** A tool of `/mcp`. No text of a stranger stands in its name, its title or its description. */
export interface Tool {
  name: string;
  toolset: Toolset;
  title: string;
  description: string;
  annotations: Annotations;
  inputSchema: JsonSchema;
  /** The shape of `data`. */
  outputSchema: JsonSchema;
  /** The routes whose documents the tool runs. */
  routes: readonly DocumentRoute[];
  /** Whether only keys that may write call it. */
  isWrite: boolean;
  /** The most bytes of an answer where the caller names no bound. Default: that of the settings. */
  maxBytes?: number;
  /** Throws a `HoldfastError` for the caller. Any other error is a fault. */
  run(call: ToolCall): Promise<ToolAnswer>;
}

/** The program that calls, by its own word. */
export interface ClientInfo {
  name?: string | undefined;
  version?: string | undefined;
}

/** A request at `/mcp`, as its tools, resources and prompts see it. */
export interface McpCall {
  engine: EngineContext;
  principal: Principal;
  turn: KeyTurn | undefined;
  client: ClientInfo;
  /** Aborted when the caller has gone, or its key has ended. */
  signal: AbortSignal;
  /** Calls `release` when the answer has been sent or the caller has gone. Returns its cancel. */
  whenGone(release: () => void): () => void;
}

/** A call of one tool. */
export interface ToolCall extends McpCall {
  /** The arguments with the text in which they were sent: a JSON object. */
  arguments: JsonDocument;
  /** The most bytes of the answer's text. */
  maxBytes: number;
  /** Whether the client asked to be told how far a long call is. */
  wantsProgress: boolean;
  /** Tells the client how far a long call is, if the client asked for it. Never throws. */
  progress(step: number, message: string): Promise<void>;
  asking: Asking;
  /** The agent that calls, for the engine. */
  origin: CallOrigin;
}

/** What a client can do for a tool that needs a person. */
export interface Asking {
  /** Whether the client can show its person a form. */
  canAsk: boolean;
  /** What the person answered in this round; undefined in the first round. */
  answers: Readonly<Record<string, unknown>> | undefined;
  /** The sealed state that the client sent back; undefined in the first round. */
  state: string | undefined;
}

/** A form for the person before the client. The client then repeats the call with the answer. */
export interface Question {
  /** Our text. Values of strangers stand in it quoted only. */
  message: string;
  /** JSON Schema of the form: flat, with primitive members. */
  form: Record<string, unknown>;
  /** Sealed state, which comes back with the answer. */
  state: string;
}

/** The answer of a tool. */
export type ToolAnswer = DataAnswer | { ask: Question };

export interface DataAnswer {
  /** One line of ours: what the data is, how much of it, how to get more. */
  about: string;
  /** Fits `outputSchema`. Payloads are `RawJson`, which the answer abridges. */
  data: Record<string, unknown>;
  /**
   * Where `read_payload` finds a value, by its path in `data`. Undefined for a value that it does
   * not read: a larger `maxBytes` shows it.
   */
  placeOf?(path: Path): PayloadPlace | undefined;
  /** Data that stays as it is: it has a bound of its own, and no payloads. */
  isExact?: true;
}

/** The place of a value among the payloads of a run, an event, an approval or a delivery. */
export interface PayloadPlace {
  /** The argument of `read_payload` that names the owner, such as `runId`. */
  of: Readonly<Record<string, string>>;
  path: Path;
}

export type Path = readonly (string | number)[];
