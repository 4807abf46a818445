import { indentJson } from './indentJson.ts';

// Indents texts off the main thread.
self.onmessage = ({ data }: MessageEvent<{ id: number; text: string }>) => {
  self.postMessage({ id: data.id, text: indentJson(data.text) });
};
