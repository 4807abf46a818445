import { afterEach, expect, it, vi } from 'vitest';
import { loadEditor } from './loadEditor.ts';

const scheduling = { isInputPending: () => true };
const seen = (): unknown => (navigator as { scheduling?: unknown }).scheduling;

afterEach(() => vi.unstubAllGlobals());

it('the editor’s code does not see that the browser tells of pending input, and other code does', async () => {
  vi.stubGlobal('navigator', Object.create({ scheduling }));
  expect(await loadEditor(async () => seen())).toBeUndefined();
  expect(seen()).toBe(scheduling);
  await expect(loadEditor(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(seen()).toBe(scheduling);
});
