import { faultOf, isTimestamp, type SignatureFault, type SignedMessage } from './signedMessage.ts';

const signatureName = 'x-slack-signature';

/** Whether a message is signed as Slack signs. */
export const isSignedBySlack = ({ header }: Pick<SignedMessage, 'header'>): boolean =>
  header(signatureName) !== undefined;

/** Slack: `v0=<hex>` over `v0:<seconds>:<body>`, with the seconds in a header of their own. */
export function verifySlack(message: SignedMessage): SignatureFault | undefined {
  const header = message.header(signatureName);
  if (header === undefined) return 'missing_signature';
  const [, signature] = /^v0=([0-9a-f]{64})$/i.exec(header) ?? [];
  const timestamp = message.header('x-slack-request-timestamp');
  if (signature === undefined || !isTimestamp(timestamp)) return 'malformed_signature';
  const signatures = [signature.toLowerCase()];
  return faultOf(
    { prefix: `v0:${timestamp}:`, encoding: 'hex', signatures, keyOf: (secret) => secret, timestamp },
    message,
  );
}
