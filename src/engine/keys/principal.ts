/** Who calls: the key that authenticated, and the project that it acts in. */
export type Principal =
  | { kind: 'secret' | 'public'; keyId: string; keyName: string; projectId: string }
  | { kind: 'platform'; keyId: string; keyName: string; projectId: string; actor: string | undefined }
  | { kind: 'operator'; keyName: 'operator'; projectId: string | undefined };
