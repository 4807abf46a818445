import type { ReactNode } from 'react';
import { Code, SecretDialog } from '../../design/index.ts';

const verification = `import { verifyWebhook } from '@holdfast/sdk/webhooks';

// The body as it was received: text or bytes, not parsed.
const webhook = await verifyWebhook(body, headers, process.env.WEBHOOK_SECRET);`;

interface SigningSecretProps {
  secret: string;
  /** Who signs with it: the service its deliveries, or a sender its messages. */
  signer: 'service' | 'sender';
  onStored: () => void;
}

/** The signing secret of a new endpoint or source, or after a rotation. */
export function SigningSecret({ secret, signer, onStored }: SigningSecretProps): ReactNode {
  return (
    <SecretDialog
      title="Store the signing secret"
      description={
        signer === 'service'
          ? 'The receiver verifies with it that a delivery comes from this service.'
          : 'The sender signs its messages with it. Paste it into its settings.'
      }
      secret={secret}
      what="signing secret"
      onStored={onStored}
    >
      {signer === 'service' && (
        <>
          <p>The receiver verifies a delivery like this:</p>
          <Code text={verification} what="snippet" />
        </>
      )}
    </SecretDialog>
  );
}
