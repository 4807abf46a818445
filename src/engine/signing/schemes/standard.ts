import {
  type Claim,
  faultOf,
  isTimestamp,
  maxHeaderLength,
  maxSignatures,
  type SignatureFault,
  type SignedMessage,
} from './signedMessage.ts';

const secretPrefix = 'whsec_';
const version = 'v1,';

/** The key of Standard Webhooks: the bytes that the secret encodes. */
export const standardKey = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret, 'base64');

/**
 * Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`, which holds
 * `v1,<base64>` pairs. Svix sends the same under names of its own.
 */
export function verifyStandard(message: SignedMessage): SignatureFault | undefined {
  const header = (name: string): string | undefined =>
    message.header(`webhook-${name}`) ?? message.header(`svix-${name}`);
  const signature = header('signature');
  if (signature === undefined) return 'missing_signature';
  const claim = parse(signature, header('id'), header('timestamp'));
  return claim ? faultOf(claim, message) : 'malformed_signature';
}

function parse(header: string, id: string | undefined, timestamp: string | undefined): Claim | undefined {
  if (header.length > maxHeaderLength || id === undefined || id === '' || !isTimestamp(timestamp)) return undefined;
  const signatures = header
    .split(' ')
    .flatMap((each) => (each.startsWith(version) ? [each.slice(version.length)] : []));
  if (signatures.length === 0 || signatures.length > maxSignatures) return undefined;
  return { prefix: `${id}.${timestamp}.`, encoding: 'base64', signatures, keyOf: standardKey, timestamp };
}
