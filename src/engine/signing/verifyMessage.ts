import { verifyGithub } from './schemes/github.ts';
import { verifyService } from './schemes/service.ts';
import type { SignatureFault, SignedMessage } from './schemes/signedMessage.ts';
import { isSignedBySlack, verifySlack } from './schemes/slack.ts';
import { verifyStandard } from './schemes/standard.ts';
import { verifyStripe } from './schemes/stripe.ts';

/** How a sender signs its messages, and how each is verified. */
const verifiers = {
  service: verifyService,
  standard: verifyStandard,
  github: verifyGithub,
  stripe: verifyStripe,
} as const satisfies Record<string, (message: SignedMessage) => SignatureFault | undefined>;

export type VerifiedScheme = keyof typeof verifiers;

/**
 * The fault of a message; undefined if it verifies. From Slack, which has a scheme of its own, also
 * if Slack's own header verifies it.
 */
export function signatureFault(
  { scheme, isSlack }: { scheme: VerifiedScheme; isSlack: boolean },
  message: SignedMessage,
): SignatureFault | undefined {
  return isSlack && isSignedBySlack(message) ? verifySlack(message) : verifiers[scheme](message);
}
