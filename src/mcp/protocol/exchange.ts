import type { JsonDocument } from '../../engine/json/index.ts';
import type { McpCall } from '../declare/tool.ts';
import type { Selection } from '../declare/toolsets.ts';

/** A list of tools that is to be filled in. */
const emptyList = '"tools":[]';

/** One request at `/mcp`, which the SDK hands through to its handlers. */
export class Exchange {
  readonly call: Omit<McpCall, 'client'>;
  readonly selection: Selection;
  /** The JSON-RPC message. Its payloads keep their text. */
  readonly message: JsonDocument;
  /** The JSON text of the list of tools, which `complete` puts into the answer. */
  list: string | undefined;

  constructor(call: Omit<McpCall, 'client'>, selection: Selection, message: JsonDocument) {
    this.call = call;
    this.selection = selection;
    this.message = message;
  }

  /**
   * Puts the list of tools into the text of the SDK's answer. The list of an address is encoded
   * once: to encode it takes longer than all else that a request for it needs.
   */
  complete(text: string): string {
    const { list } = this;
    // A function, because `$` in a description is no pattern.
    return list === undefined ? text : text.replace(emptyList, () => list);
  }
}
