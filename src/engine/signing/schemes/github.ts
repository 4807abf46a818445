import { faultOf, type SignatureFault, type SignedMessage } from './signedMessage.ts';

/** GitHub, and Meta: `sha256=<hex>` over the body alone. A message has no timestamp. */
export function verifyGithub(message: SignedMessage): SignatureFault | undefined {
  const header = message.header('x-hub-signature-256');
  if (header === undefined) return 'missing_signature';
  const [, signature] = /^sha256=([0-9a-f]{64})$/i.exec(header) ?? [];
  if (signature === undefined) return 'malformed_signature';
  const signatures = [signature.toLowerCase()];
  return faultOf({ prefix: '', encoding: 'hex', signatures, keyOf: (secret) => secret, timestamp: undefined }, message);
}
