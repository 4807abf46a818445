/** The credentials of requests and the socket. The key is kept in memory only. */
export interface Credentials {
  key: string;
  /** For platform and operator keys: the project for which they act. */
  project?: string | undefined;
  /** For platform keys: the person. */
  actor?: string | undefined;
}

let current: Credentials | undefined;
let scope = '';
let onRefused: (reason: string) => void = () => {};
const listeners = new Set<() => void>();

/** Sets what requests present from now on. The scope separates the answers of projects. */
export function setCredentials(credentials: Credentials | undefined, newScope: string): void {
  current = credentials;
  scope = newScope;
  for (const each of listeners) each();
}

export const presentCredentials = (): Credentials | undefined => current;
export const presentScope = (): string => scope;

export function onCredentialsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Registers what happens when the service refuses the key. */
export function onRefusedKey(listener: (reason: string) => void): void {
  onRefused = listener;
}

/** Reports that the service refused a key. A refusal of an earlier key is of no interest. */
export function refuseKey(key: string, reason: string): void {
  if (current?.key === key) onRefused(reason);
}

/** Headers of HTTP requests. Names beyond Latin-1 go as their UTF-8 bytes. */
export const headersOf = ({ key, project, actor }: Credentials): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(project !== undefined && { 'x-service-project': utf8Bytes(project) }),
  ...(actor !== undefined && { 'x-service-actor': utf8Bytes(actor) }),
});

/** The payload of the socket's first message, which is JSON and takes any name as it is. */
export const socketPayloadOf = ({ key, project, actor }: Credentials): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(project !== undefined && { 'x-service-project': project }),
  ...(actor !== undefined && { 'x-service-actor': actor }),
});

const utf8Bytes = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));
