import {
  type Claim,
  faultOf,
  isTimestamp,
  maxHeaderLength,
  maxSignatures,
  type SignatureFault,
  type SignedMessage,
} from './signedMessage.ts';

/** 5.6: `t=<seconds>&s=<hex>`, with an `s` for each secret of a rotation. */
export function verifyService(message: SignedMessage): SignatureFault | undefined {
  const header = message.header('x-service-signature');
  if (header === undefined) return 'missing_signature';
  const claim = parse(header);
  return claim ? faultOf(claim, message) : 'malformed_signature';
}

function parse(header: string): Claim | undefined {
  if (header.length > maxHeaderLength) return undefined;
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const pair of header.split('&')) {
    const value = pair.slice(2).trim();
    if (pair.startsWith('t=')) timestamps.push(value);
    else if (pair.startsWith('s=')) signatures.push(value.toLowerCase());
  }
  const [timestamp] = timestamps;
  if (timestamps.length > 1 || !isTimestamp(timestamp)) return undefined;
  if (signatures.length === 0 || signatures.length > maxSignatures) return undefined;
  return { prefix: `${timestamp}.`, encoding: 'hex', signatures, keyOf: (secret) => secret, timestamp };
}
