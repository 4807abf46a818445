import { cutLongStrings, indentJson } from './indentJson.ts';

// Prepares texts off the main thread.
self.onmessage = ({ data }: MessageEvent<{ id: number; text: string; isIndented: boolean; isWhole: boolean }>) => {
  const indented = data.isIndented ? indentJson(data.text) : data.text;
  self.postMessage({ id: data.id, shown: data.isWhole ? { text: indented, cuts: 0 } : cutLongStrings(indented) });
};
