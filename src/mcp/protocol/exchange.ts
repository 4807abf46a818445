import type { JsonDocument } from '../../engine/json/index.ts';
import type { McpCall } from '../declare/tool.ts';
import type { Selection } from '../declare/toolsets.ts';

/** One request at `/mcp`, which the SDK hands through to its handlers. */
export class Exchange {
  readonly call: Omit<McpCall, 'client'>;
  readonly selection: Selection;
  /** The JSON-RPC message. Its payloads keep their text. */
  readonly message: JsonDocument;

  constructor(call: Omit<McpCall, 'client'>, selection: Selection, message: JsonDocument) {
    this.call = call;
    this.selection = selection;
    this.message = message;
  }
}
