import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { McpCall } from '../declare/tool.ts';
import type { Selection, Toolset } from '../declare/toolsets.ts';
import { readPages } from '../library/pages.ts';
import { type ResourceKind, resourceKinds } from '../resources/resources.ts';

/** A longer URI names nothing. */
const maxUriLength = 2_000;

/** The kinds that an address offers: those of its toolsets. */
const kindsOf = ({ toolsets }: Selection): ResourceKind[] =>
  resourceKinds.filter(({ toolset }) => toolsets.has(toolset));

export const listTemplates = (selection: Selection): ResourceTemplateType[] =>
  kindsOf(selection).map(({ template, name, title, description, mimeType }) => ({
    uriTemplate: template.text,
    name,
    title,
    description,
    mimeType,
  }));

/** The pages of the documentation. Runs and events have templates only: their lists are tools. */
export async function listResources({ toolsets }: Selection): Promise<Resource[]> {
  if (!toolsets.has('docs')) return [];
  return (await readPages()).map(({ name, title, text }) => ({
    uri: `doc://${name}`,
    name,
    title,
    mimeType: 'text/markdown',
    size: Buffer.byteLength(text),
  }));
}

/** Reads a resource. Throws for one that does not exist, or that the address does not offer. */
export async function readResource(
  call: McpCall,
  selection: Selection,
  { uri, maxBytes }: { uri: string; maxBytes: number },
): Promise<ReadResourceResult> {
  const { kind, values } = found(uri);
  requireToolset(selection, kind.toolset, 'this kind of resource');
  const text = await kind.read(call, values, maxBytes);
  return { contents: [{ uri, mimeType: kind.mimeType, text }] };
}

function found(uri: string): { kind: ResourceKind; values: Record<string, string> } {
  for (const kind of uri.length > maxUriLength ? [] : resourceKinds) {
    const values = kind.template.match(uri);
    if (values) return { kind, values };
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown resource', { uri: uri.slice(0, maxUriLength) });
}

/** Throws for what the address leaves out, and names the toolset to add. */
export function requireToolset({ toolsets }: Selection, toolset: Toolset, what: string): void {
  if (toolsets.has(toolset)) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `${what} is not offered here: add its toolset to the address: ?toolsets=${toolset}`,
  );
}
