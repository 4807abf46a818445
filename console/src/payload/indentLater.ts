import workerUrl from './indent.worker.ts?worker&url';
import { indentJson } from './indentJson.ts';

/** The one policy of the console: it names the address of the worker, and nothing else. */
interface Policy {
  createScriptURL: (url: string) => unknown;
}

let policy: Policy | undefined;

function trustedWorkerUrl(): string {
  const factory = (window as { trustedTypes?: { createPolicy: (name: string, rules: object) => Policy } }).trustedTypes;
  policy ??= factory?.createPolicy('holdfast', {
    createScriptURL: (url: string) => {
      if (url !== workerUrl) throw new TypeError('not an address of the console');
      return url;
    },
  });
  return (policy?.createScriptURL(workerUrl) ?? workerUrl) as string;
}

let worker: Worker | undefined;
let count = 0;
const waiting = new Map<number, (text: string) => void>();

function startWorker(): Worker {
  const started = new Worker(trustedWorkerUrl(), { type: 'module' });
  started.onmessage = ({ data }: MessageEvent<{ id: number; text: string }>) => {
    waiting.get(data.id)?.(data.text);
    waiting.delete(data.id);
  };
  return started;
}

/** Texts below this length are indented at once. */
const shortText = 20_000;

/** Indents a text in the worker. */
export function indentLater(text: string): Promise<string> {
  if (text.length <= shortText) return Promise.resolve(indentJson(text));
  worker ??= startWorker();
  count += 1;
  const id = count;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker?.postMessage({ id, text });
  });
}
