import type { HeaderReader } from './headers.ts';
import { WebhookVerificationError } from './verificationError.ts';

/** How a message is signed: in the service's own way, or as Standard Webhooks says. */
export type WebhookScheme = 'service' | 'standard';

/** The claim of a message's headers. */
export interface Claim {
  /** Unix time, in seconds. */
  timestamp: string;
  /** The signed text before the body. */
  prefix: string;
  signatures: string[];
}

interface Scheme {
  claim(read: HeaderReader): Claim;
  /** Undefined for a secret that the scheme cannot have. */
  key(secret: string): Uint8Array | undefined;
  /** The text of a signature. */
  encode(mac: Uint8Array): string;
}

/** Limits the work that a stranger's header can cause. */
const maxHeaderLength = 4096;
const maxSignatures = 16;

const service: Scheme = {
  claim(read) {
    const header = read('x-service-signature');
    if (header === undefined) throw new WebhookVerificationError('missing_signature');
    const timestamps: string[] = [];
    const signatures: string[] = [];
    for (const pair of header.slice(0, maxHeaderLength + 1).split('&')) {
      const value = pair.slice(2).trim();
      if (pair.startsWith('t=')) timestamps.push(value);
      else if (pair.startsWith('s=')) signatures.push(value.toLowerCase());
    }
    const [timestamp = ''] = timestamps;
    const isRepeated = timestamps.length > 1;
    return checked({ timestamp, prefix: `${timestamp}.`, signatures }, isRepeated || header.length > maxHeaderLength);
  },
  key: (secret) => new TextEncoder().encode(secret),
  encode: (mac) => Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join(''),
};

const standard: Scheme = {
  claim(read) {
    const header = read('webhook-signature');
    if (header === undefined) throw new WebhookVerificationError('missing_signature');
    const id = read('webhook-id');
    const timestamp = read('webhook-timestamp') ?? '';
    const versions = header.slice(0, maxHeaderLength).split(' ');
    const signatures = versions.flatMap((each) => (each.startsWith('v1,') ? [each.slice('v1,'.length)] : []));
    const isBad = id === undefined || header.length > maxHeaderLength;
    return checked({ timestamp, prefix: `${id}.${timestamp}.`, signatures }, isBad);
  },
  key(secret) {
    try {
      const key = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
      return key.length === 0 ? undefined : key;
    } catch {
      return undefined;
    }
  },
  encode: (mac) => btoa(String.fromCharCode(...mac)),
};

export const schemes: Readonly<Record<WebhookScheme, Scheme>> = { service, standard };

/** The scheme of a message, by its headers. */
export const schemeOf = (read: HeaderReader): WebhookScheme =>
  read('x-service-signature') === undefined && read('webhook-signature') !== undefined ? 'standard' : 'service';

function checked(claim: Claim, isBad: boolean): Claim {
  const { timestamp, signatures } = claim;
  if (isBad || !/^\d{1,12}$/.test(timestamp) || signatures.length === 0 || signatures.length > maxSignatures)
    throw new WebhookVerificationError('malformed_signature');
  return claim;
}
