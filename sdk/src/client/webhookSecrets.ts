/** A signing secret. Only the answer that creates it has it. */
export interface WithSecret {
  readonly secret: string;
}

/** How a secret is rotated. */
export interface SecretRotation {
  /** The new secret, of 8 to 256 characters. Default: a generated one. */
  secret?: string | undefined;
  /** Rotate although the last rotation was less than 24 hours ago. */
  force?: boolean | undefined;
  /** End the validity of the old secret at once, instead of after 24 hours. */
  revokePrevious?: boolean | undefined;
}

/** The fields of a change that concern the secret. */
export interface SecretChange extends SecretRotation {
  /** Rotate to a generated secret. */
  rotateSecret?: boolean | undefined;
}

/** The body of a rotation. */
export const rotationBody = ({ secret, ...rest }: SecretRotation): object =>
  secret === undefined ? { ...rest, rotateSecret: true } : { ...rest, secret };
