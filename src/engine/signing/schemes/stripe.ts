import {
  type Claim,
  faultOf,
  isTimestamp,
  maxHeaderLength,
  maxSignatures,
  type SignatureFault,
  type SignedMessage,
} from './signedMessage.ts';

/**
 * Stripe: `t=<seconds>,v1=<hex>`, with a `v1` for each secret. The key is the text of the secret.
 */
export function verifyStripe(message: SignedMessage): SignatureFault | undefined {
  const header = message.header('stripe-signature');
  if (header === undefined) return 'missing_signature';
  const claim = parse(header);
  return claim ? faultOf(claim, message) : 'malformed_signature';
}

function parse(header: string): Claim | undefined {
  if (header.length > maxHeaderLength) return undefined;
  const pairs = header.split(',').map((pair) => pair.trim());
  const valuesOf = (name: string): string[] =>
    pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
  const [timestamp, ...repeated] = valuesOf('t');
  const signatures = valuesOf('v1').map((each) => each.toLowerCase());
  if (repeated.length > 0 || !isTimestamp(timestamp)) return undefined;
  if (signatures.length === 0 || signatures.length > maxSignatures) return undefined;
  return { prefix: `${timestamp}.`, encoding: 'hex', signatures, keyOf: (secret) => secret, timestamp };
}
