import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { visible } from '../answer/visible.ts';
import type { ClientInfo } from '../declare/tool.ts';

const maxCharacters = 64;

/** The name and version that a client of 2026-07-28 gives with each request, each cut. */
export function clientOf({ mcpReq: { envelope } }: ServerContext): ClientInfo {
  const info = memberOf(envelope, CLIENT_INFO_META_KEY);
  return { name: cut(memberOf(info, 'name')), version: cut(memberOf(info, 'version')) };
}

const cut = (text: unknown): string | undefined =>
  typeof text === 'string' && text !== ''
    ? visible(text.slice(0, maxCharacters).replace(/\p{Cs}/gu, '\ufffd')).slice(0, maxCharacters)
    : undefined;

/** Whether the client can show its person a form. */
export function canAskPerson({ mcpReq: { envelope } }: ServerContext): boolean {
  const elicitation = memberOf(memberOf(envelope, CLIENT_CAPABILITIES_META_KEY), 'elicitation');
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  // A client that names no mode supports forms.
  return 'form' in elicitation || !('url' in elicitation);
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
