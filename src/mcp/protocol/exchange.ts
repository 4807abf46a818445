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
  /** The list of tools as JSON in UTF-8, from `"tools"` on. `complete` puts it into the answer. */
  list: Buffer | undefined;

  constructor(call: Omit<McpCall, 'client'>, selection: Selection, message: JsonDocument) {
    this.call = call;
    this.selection = selection;
    this.message = message;
  }

  /** The method that the message calls; undefined if it has none. */
  get method(): unknown {
    return Object(this.message.value).method;
  }

  /**
   * Puts the list of tools into the text of the SDK's answer. The list of an address is encoded
   * once: to encode it takes longer than all else that a request for it needs.
   */
  complete(text: string): string | Buffer {
    const at = this.list === undefined ? -1 : text.indexOf(emptyList);
    if (this.list === undefined || at === -1) return text;
    return Buffer.concat([Buffer.from(text.slice(0, at)), this.list, Buffer.from(text.slice(at + emptyList.length))]);
  }
}
