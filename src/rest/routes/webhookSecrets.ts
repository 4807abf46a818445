import { secretLength } from '../../engine/webhooks/config/index.ts';
import { narrowed, neverNull, optionalFlag, optionalText } from '../declare/fields.ts';

const longEnough = { minLength: secretLength.min };

/** The secret of a new endpoint or source. */
export const firstSecret = narrowed(
  optionalText('A known signing secret, of at least 8 characters; generated when left out.', secretLength.max),
  longEnough,
);

/** The fields of a change that rotate the secret of an endpoint or source (2.11). */
export const secretChange = {
  secret: neverNull(narrowed(optionalText('Rotates to this known secret.', secretLength.max), longEnough)),
  rotateSecret: optionalFlag('Rotates to a generated secret. The old one stays valid for 24 hours.'),
  force: optionalFlag('Rotates although the last rotation was less than 24 hours ago.'),
  revokePrevious: optionalFlag('Ends the validity of the old secret at once.'),
};
