import { Agent, request } from 'undici';
import { ownAddresses } from '../../secrets/index.ts';
import type { ProviderAccess } from '../access.ts';

/** What a provider answered. */
export interface ModelsAnswer {
  status: number;
  /** The first bytes of the body. */
  body: string;
}

/** The bytes of a body that are read. The rest of a long list tells nothing more. */
const maxBodyBytes = 64 * 1024;
const maxHeaderBytes = 16 * 1024;

/**
 * Asks a provider for its models by one GET. Follows no redirect, so the key goes to its own origin
 * only. The time limit includes the connection. Throws if no answer arrives.
 */
export async function requestModels(access: ProviderAccess, timeoutMs: number): Promise<ModelsAnswer> {
  const agent = new Agent({
    connections: 1,
    maxHeaderSize: maxHeaderBytes,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  try {
    const { statusCode, body } = await request(urlOf(access), {
      dispatcher: agent,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', ...credentialsOf(access) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: statusCode, body: await readStart(body) };
  } finally {
    await agent.destroy();
  }
}

const urlOf = ({ provider, baseUrl }: ProviderAccess): string => `${baseUrl ?? ownAddresses[provider] ?? ''}/models`;

const credentialsOf = ({ provider, apiKey }: ProviderAccess): Record<string, string> =>
  provider === 'anthropic'
    ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
    : { authorization: `Bearer ${apiKey}` };

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, maxBodyBytes - bytes));
    bytes += chunk.length;
    if (bytes >= maxBodyBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
