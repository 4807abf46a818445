// Writes the committed files that are generated from declarations. Run by `npm run codegen`.
import { readFile, writeFile } from 'node:fs/promises';
import { generatedFiles } from './codegen/files.ts';

for (const [name, write] of Object.entries(generatedFiles)) {
  const text = write();
  const committed = await readFile(name, 'utf8').catch(() => undefined);
  if (committed !== text) await writeFile(name, text);
  console.log(`${name}: ${committed === text ? 'up to date' : 'written'}`);
}
