import workerUrl from './indent.worker.ts?worker&url';
import { type CutText, cutLongStrings, indentJson } from './indentJson.ts';

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
const waiting = new Map<number, (shown: CutText) => void>();

function startWorker(): Worker {
  const started = new Worker(trustedWorkerUrl(), { type: 'module' });
  started.onmessage = ({ data }: MessageEvent<{ id: number; shown: CutText }>) => {
    waiting.get(data.id)?.(data.shown);
    waiting.delete(data.id);
  };
  return started;
}

/** Texts below this length are prepared at once. */
const shortText = 20_000;

export interface Showing {
  isIndented: boolean;
  /** Long strings are not cut. */
  isWhole: boolean;
}

/** Prepares a text for the editor, a long one in the worker. */
export function showLater(text: string, { isIndented, isWhole }: Showing): Promise<CutText> {
  if (text.length <= shortText) {
    const indented = isIndented ? indentJson(text) : text;
    return Promise.resolve(isWhole ? { text: indented, cuts: 0 } : cutLongStrings(indented));
  }
  worker ??= startWorker();
  count += 1;
  const id = count;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker?.postMessage({ id, text, isIndented, isWhole });
  });
}
