import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../../codegen/files.ts';

describe('generated files', () => {
  it.each(Object.entries(generatedFiles))(
    '%s is what the declarations say; otherwise run `npm run codegen`',
    async (name, write) => {
      expect(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8')).toBe(write());
    },
  );
});
